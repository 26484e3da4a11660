import DurableSecurity
import JSONSchema
import MCPProtocol
import OrderedJSON
import Testing

@testable import DurableMCP

@Suite("Our own tools", .timeLimit(.minutes(1)))
struct RunToolsTests {
    private static let trusting = #"{"trustAnnotations": true}"#

    private static func script(_ steps: JSONValue...) -> JSONValue { ["steps": .array(steps)] }

    @Test("are described in a form that every client accepts")
    func definitions() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        try await meeting.running(server) { client in
            let tools = try await client.list().tools
            let own = [
                "start_run", "get_run_status", "list_runs", "cancel_run",
                "list_pending_approvals", "approve", "reject", "export_audit",
            ]
            #expect(Array(tools.map(\.name).prefix(own.count)) == own)
            for tool in tools {
                #expect(tool.name.wholeMatch(of: /[a-z0-9_]{1,40}/) != nil)
                #expect((1...1_024).contains(tool.description?.count ?? 0), "\(tool.name)")
                for hint in ["readOnly", "destructive", "idempotent", "openWorld"] {
                    #expect(tool.annotations.json["\(hint)Hint"]?.boolValue != nil)
                }
                for schema in [tool.inputSchema, tool.outputSchema].compactMap(\.self) {
                    #expect(schema["type"] == "object")
                    #expect(schema["properties"]?.objectValue != nil)
                    #expect(!JSONValue.object(schema).text.contains("$ref"))
                }
                if own.contains(tool.name) {
                    #expect(tool.title != nil)
                    #expect(tool.outputSchema != nil)
                }
            }
        }
    }

    @Test("a script runs behind an approval, and each step is told")
    func scripts() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        try await meeting.running(server) { client in
            let script = Self.script(
                ["assistant": "Sending."],
                ["tool": "fix__send", "arguments": ["to": "a", "text": "b"], "callId": "c1"],
                ["finish": "Sent."])
            let started = try await client.ask(
                "start_run", ["script": script, "requestId": "r", "waitSeconds": 20])
            #expect(started["status"] == "waiting")
            #expect(started["waitingOn"]?["purpose"] == "gate")
            let approval = try #require(started["waitingOn"]?["approvalId"]?.stringValue)
            #expect(started["hint"]?.stringValue?.contains(approval) == true)

            let pending = try await client.ask("list_pending_approvals")
            let first = try #require(pending["approvals"]?.arrayValue?.first)
            #expect(first["approvalId"]?.stringValue == approval)
            #expect(first["arguments"] == ["to": "a", "text": "b"])
            #expect(first["tool"] == "fix__send")

            let decided = try await client.acting(as: Meeting.carol).ask(
                "approve",
                [
                    "approvalId": .string(approval), "approverId": "carol",
                    "authLevel": "session",
                    "argumentsDigest": first["argumentsDigest"] ?? .null,
                ])
            #expect(decided["runId"] == started["runId"])

            let ended = try await client.ask(
                "get_run_status", ["runId": started["runId"] ?? .null, "waitSeconds": 20])
            #expect(ended["status"] == "completed")
            #expect(ended["finalText"] == "Sent.")
            #expect(
                ended["steps"]?.arrayValue?.map { $0["kind"] } == ["assistant", "tool", "finish"])
            #expect(ended["steps"]?.arrayValue?[1]["callId"] == "c1")

            // The same request again is the same run, wherever its id stands.
            let again = try await client.ask("start_run", ["script": script], requestID: "r")
            #expect(again["runId"] == started["runId"])
            await #expect(throws: RPCError.self) {
                try await client.call(
                    "start_run", ["script": script, "requestId": "r"], requestID: "s")
            }
            let runs = try await client.ask("list_runs")
            #expect(runs["runs"]?.arrayValue?.count == 1)
        }
        #expect(try meeting.count("done", "send") == 1)
    }

    @Test("a run that fails within its wait is an error with all that is known")
    func failingScript() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(
            meeting.config(durable: #"{"tools": {"*": {"approval": false}}}"#))
        try await meeting.running(server) { client in
            let result = try await client.call(
                "start_run",
                ["script": Self.script(["tool": "fix__fail"]), "waitSeconds": 20])
            #expect(result.isError)
            #expect(result.structuredContent?["status"] == "failed")
            let run = try await client.call(
                "get_run_status", ["runId": result.structuredContent?["runId"] ?? .null])
            #expect(!run.isError)
            #expect(run.structuredContent?["status"] == "failed")
        }
    }

    @Test(
        "what cannot be done is refused in words that name it",
        arguments: [
            (#"{"agent": "a", "prompt": "b"}"#, "'agent' is not built yet"),
            (#"{}"#, "`script` is missing"),
            (#"{"script": {"steps": []}}"#, "steps"),
            (#"{"script": {"steps": [{"say": "x"}]}}"#, "steps[0]"),
            (#"{"script": {"steps": [{"finish": "x"}]}, "waitSeconds": 51}"#, "waitSeconds"),
            (#"{"script": {"steps": [{"finish": "x"}]}, "whenBusy": "steer"}"#, "steered"),
            (#"{"script": {"steps": [{"finish": "x"}]}, "whenBusy": "reject"}"#, "not built yet"),
            (#"{"script": {"steps": [{"finish": "x"}]}, "budget": {}}"#, "'budget'"),
            (#"{"script": {"steps": [{"finish": "x"}]}, "conversationId": "cnv_x"}"#, "cnv_x"),
            (#"{"script": {"steps": [{"tool": "fix__nothing"}]}}"#, "'fix__nothing'"),
            (#"{"script": {"steps": [{"tool": "fix__send"}]}}"#, "steps[0]"),
        ])
    func refusals(arguments: String, words: String) async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        try await meeting.running(server) { client in
            _ = try await client.names()
            let object = try JSONValue(parsing: arguments).objectValue
            let result = try await client.call("start_run", object ?? [:])
            #expect(result.isError)
            #expect(result.text.contains(words), "\(result.text)")
            #expect(try await client.ask("list_runs")["runs"] == [])
        }
    }

    @Test("an unknown run, and a cursor that is none, are errors that say what to do")
    func unknownRun() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(ServerConfig())
        try await meeting.running(server) { client in
            for tool in ["get_run_status", "cancel_run"] {
                let result = try await client.call(tool, ["runId": "run_nothing"])
                #expect(result.isError)
                #expect(result.text.contains("list_runs"))
            }
            let page = try await client.call("list_runs", ["cursor": "x"])
            #expect(page.isError)
            #expect(page.text.contains("cursor"))
        }
    }

    @Test("a run is cancelled by its owner, once")
    func cancels() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(ServerConfig())
        try await meeting.running(server) { client in
            let script = Self.script(["approval": "Go on?"], ["finish": "Done."])
            let started = try await client.ask(
                "start_run", ["script": script, "waitSeconds": 20])
            #expect(started["status"] == "waiting")
            let run: JSONObject = ["runId": started["runId"] ?? .null]
            _ = try await client.ask("cancel_run", run)
            var wait = run
            wait["waitSeconds"] = 20
            #expect(try await client.ask("get_run_status", wait)["status"] == "cancelled")
            let again = try await client.call("cancel_run", run)
            #expect(again.isError)
            #expect(again.text.contains("cancelled"))
            #expect(try await client.ask("list_pending_approvals")["approvals"] == [])
        }
    }

    @Test("a list of runs comes in pages")
    func pages() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(ServerConfig())
        try await meeting.running(server) { client in
            for _ in 0..<3 {
                _ = try await client.ask(
                    "start_run", ["script": Self.script(["finish": "x"]), "waitSeconds": 20])
            }
            let first = try await client.ask("list_runs", ["limit": 2, "status": "completed"])
            #expect(first["runs"]?.arrayValue?.count == 2)
            let second = try await client.ask(
                "list_runs",
                ["limit": 2, "status": "completed", "cursor": first["nextCursor"] ?? .null])
            #expect(second["runs"]?.arrayValue?.count == 1)
            #expect(second["nextCursor"] == nil)
        }
    }

    @Test("the audit is exported without contents")
    func audit() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(ServerConfig())
        try await meeting.running(server) { client in
            _ = try await client.ask(
                "start_run",
                ["script": Self.script(["finish": "words of mine"]), "waitSeconds": 20])
            let export = try await client.ask("export_audit")
            #expect(export["tip"]?.stringValue?.hasPrefix("v1:") == true)
            let content = export["content"]?.stringValue ?? ""
            #expect(content.contains("run.submitted"))
            #expect(!content.contains("words of mine"))
            let his = try await client.acting(as: Meeting.bob).ask("export_audit")
            #expect(his["content"] == "")
            let wrong = try await client.call("export_audit", ["since": "yesterday"])
            #expect(wrong.text.contains("'since'"))
        }
    }
}
