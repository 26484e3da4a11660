import DurableEngine
import DurableSecurity
import MCPProtocol
import OrderedJSON
import Testing

@testable import DurableMCP

@Suite("Proxied tools", .timeLimit(.minutes(1)))
struct ProxyTests {
    private static let trusting = #"{"trustAnnotations": true}"#

    @Test("a call passes through, is journaled, and says which run it was")
    func passesThrough() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config(durable: Self.trusting))
        try await meeting.running(server) { client in
            let result = try await client.call("fix__lookup", ["thing": "grass"])
            #expect(result.structuredContent == ["thing": "grass", "colour": "green"])
            #expect(!result.isError)
            #expect(result.run?["status"] == "completed")
            let runID = try #require(result.run?["runId"]?.stringValue)
            let run = try await client.call("get_run_status", ["runId": .string(runID)])
            #expect(run.structuredContent?["status"] == "completed")
            let step = run.structuredContent?["steps"]?.arrayValue?.first
            #expect(step?["tool"] == "fix__lookup")
            #expect(step?["effect"] == "pure")
            #expect(step?["outcome"] == "succeeded")
        }
        #expect(try meeting.count("done", "lookup") == 1)
        let key = try meeting.ledger().first?["key"]?.stringValue
        #expect(key?.isEmpty == false)
    }

    @Test("an untrusted tool waits for a person, and runs once when approved")
    func waitsForApproval() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        try await meeting.running(server) { client in
            let waiting = try await client.call("fix__send", ["to": "a", "text": "b"])
            #expect(waiting.isError)
            #expect(waiting.structuredContent == nil)
            #expect(waiting.run?["status"] == "waiting")
            let approval = try #require(waiting.run?["approvalId"]?.stringValue)
            #expect(waiting.text.contains("durable-mcp approve \(approval)"))
            #expect(try meeting.count("started", "send") == 0)

            // The same call again attaches to the one that waits.
            let again = try await client.call("fix__send", ["to": "a", "text": "b"])
            #expect(again.run == waiting.run)

            let person = client.acting(as: Meeting.carol)
            let decided = try await person.call(
                "approve",
                ["approvalId": .string(approval), "approverId": "carol", "authLevel": "session"])
            #expect(decided.structuredContent?["decision"] == "approved")
            let run = try await client.call(
                "get_run_status",
                ["runId": waiting.run?["runId"] ?? .null, "waitSeconds": 20])
            #expect(run.structuredContent?["status"] == "completed")
            let output = run.structuredContent?["steps"]?.arrayValue?.first?["output"]
            #expect(output?["structuredContent"] == ["done": true])
        }
        #expect(try meeting.count("done", "send") == 1)
    }

    @Test("a request id makes a retry find the first call")
    func deduplicates() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(
            meeting.config(durable: #"{"tools": {"send": {"approval": false}}}"#))
        try await meeting.running(server) { client in
            let arguments: JSONObject = ["to": "a", "text": "b"]
            let first = try await client.call("fix__send", arguments, requestID: "r1")
            let again = try await client.call("fix__send", arguments, requestID: "r1")
            #expect(first.run == again.run)
            #expect(first.structuredContent == again.structuredContent)
            let other = try await client.call(
                "fix__send", ["to": "a", "text": "c"], requestID: "r1")
            #expect(other.isError)
            #expect(other.text.contains("'r1'"))
            // Another principal's id is another id.
            let bob = client.acting(as: Meeting.bob)
            let his = try await bob.call("fix__send", arguments, requestID: "r1")
            #expect(his.run?["runId"] != first.run?["runId"])
        }
        #expect(try meeting.count("done", "send") == 2)
    }

    @Test("arguments that break the schema are named, and nothing is journaled")
    func checksArguments() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        try await meeting.running(server) { client in
            let missing = try await client.call("fix__send", ["to": "a"])
            #expect(missing.isError)
            #expect(missing.text.contains("`text` is missing"))
            let wrong = try await client.call("fix__send", ["to": 1, "text": "b"])
            #expect(wrong.isError)
            #expect(wrong.text.contains("`to` must be a string"))
            #expect(try await client.ask("list_runs")["runs"] == [])
        }
    }

    @Test("an unknown tool is an error of the protocol, with the name that was meant")
    func unknownTool() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        try await meeting.running(server) { client in
            _ = try await client.names()
            let error = await #expect(throws: RPCError.self) {
                try await client.call("fix__lokup", ["thing": "x"])
            }
            #expect(error?.kind == .invalidParams)
            #expect(error?.message.contains("'fix__lookup'") == true)
            await #expect(throws: RPCError.self) { try await client.call("nothing") }
        }
    }

    @Test("an error that the tool reports passes through as it is")
    func toolError() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(
            meeting.config(durable: #"{"tools": {"*": {"approval": false}}}"#))
        try await meeting.running(server) { client in
            let result = try await client.call("fix__fail")
            #expect(result.isError)
            #expect(result.text == "It failed, as it was told to.")
            #expect(result.run?["status"] == "failed")
            let refused = try await client.call("fix__rpc_error", ["code": -32602])
            #expect(refused.isError)
            #expect(refused.text.contains("Upstream 'fix' (call)"))
            #expect(refused.text.contains("-32602"))
            #expect(refused.run?["status"] == "failed")
        }
    }

    @Test("a lost answer of an external call is unknown, and a person settles it")
    func unknownOutcome() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(
            meeting.config(durable: #"{"tools": {"*": {"approval": false}}}"#))
        try await meeting.running(server) { client in
            let result = try await client.call("fix__crash", ["when": "after"])
            #expect(result.isError)
            #expect(result.run?["status"] == "waiting")
            #expect(result.text.contains("unknown"))
            let approval = try #require(result.run?["approvalId"]?.stringValue)
            let pending = try await client.ask("list_pending_approvals")
            #expect(pending["approvals"]?.arrayValue?.first?["purpose"] == "reconcile")
            let run = try await client.ask(
                "get_run_status", ["runId": result.run?["runId"] ?? .null])
            #expect(run["steps"]?.arrayValue?.first?["outcome"] == "unknown")
            let decided = try await client.acting(as: Meeting.carol).ask(
                "approve",
                [
                    "approvalId": .string(approval), "approverId": "carol",
                    "authLevel": "session", "output": ["found": true],
                ])
            #expect(decided["status"] == "completed" || decided["status"] == "running")
            let settled = try await client.ask(
                "get_run_status",
                ["runId": result.run?["runId"] ?? .null, "waitSeconds": 20])
            let output = settled["steps"]?.arrayValue?.first?["output"]
            #expect(settled["status"] == "completed")
            #expect(output?["structuredContent"] == ["found": true])
        }
        #expect(try meeting.count("started", "crash") == 1)
    }

    @Test("a server that does not start is named, with what it complained of")
    func doesNotStart() async throws {
        let meeting = Meeting()
        let first = try await meeting.server(meeting.config(durable: Self.trusting))
        try await meeting.running(first) { _ = try await $0.names() }
        let second = try await meeting.server(
            meeting.config(["--fail-start"], durable: Self.trusting))
        try await meeting.running(second) { client in
            let result = try await client.call("fix__lookup", ["thing": "grass"])
            #expect(result.isError)
            #expect(result.text.contains("Upstream 'fix'"))
            #expect(result.text.contains("mcp-fixture: cannot start"))
            #expect(result.run?["status"] == "failed")
        }
    }

    @Test("secrets of the configuration come back from no tool")
    func scrubsSecrets() async throws {
        let meeting = Meeting()
        let text = """
            {"mcpServers": {"fix": {"command": "\(Meeting.fixture)",
              "env": {"KEY": "a-long-secret", "PIN": "${PIN}"},
              "durable": {"trustAnnotations": true}}}}
            """
        let server = try await meeting.server(ServerConfig(parsing: Array(text.utf8))) {
            $0.secrets = SecretSource(environment: ["PIN": "4711"], folders: [])
        }
        try await meeting.running(server) { client in
            let result = try await client.call(
                "fix__echo", ["a": "so a-long-secret it is", "b": 4711])
            #expect(!result.isError)
            #expect(!JSONValue.object(result.json).text.contains("a-long-secret"))
            let arguments = result.structuredContent?["arguments"]
            #expect(arguments?["a"] == "so [secret] it is")
            #expect(arguments?["b"] == "[secret]")
        }
    }

    @Test("a secret that is missing is named when its server is needed")
    func missingSecret() async throws {
        let meeting = Meeting()
        let first = try await meeting.server(meeting.config(durable: Self.trusting))
        try await meeting.running(first) { _ = try await $0.names() }
        let text = """
            {"mcpServers": {"fix": {"command": "\(Meeting.fixture)",
              "env": {"KEY": "${NOT_SET}"}, "durable": {"trustAnnotations": true}}}}
            """
        let server = try await meeting.server(ServerConfig(parsing: Array(text.utf8)))
        try await meeting.running(server) { client in
            let result = try await client.call("fix__lookup", ["thing": "x"])
            #expect(result.isError)
            #expect(result.text.contains("'NOT_SET'"))
        }
    }

    @Test("a tool that 'allow' leaves out is neither listed nor called")
    func allows() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(
            meeting.config(durable: #"{"allow": ["look*"], "trustAnnotations": true}"#))
        try await meeting.running(server) { client in
            let names = try await client.names().filter { $0.contains("__") }
            #expect(names == ["fix__lookup"])
            await #expect(throws: RPCError.self) {
                try await client.call("fix__send", ["to": "a", "text": "b"])
            }
        }
        #expect(try meeting.count("started", "send") == 0)
    }
}
