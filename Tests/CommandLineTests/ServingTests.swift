import Foundation
import OrderedJSON
import Testing

@Suite("Commands beside a server", .timeLimit(.minutes(3)))
struct ServingTests {
    private static let sending: JSONObject = ["to": "bob\u{202E}", "text": "line\u{7}"]

    private func server(_ place: Place, _ more: String...) async throws -> RunningServer {
        let server = try RunningServer(["--stdio", "--config", place.config] + more, in: place)
        try await server.greet()
        return server
    }

    /// Calls the external tool, which waits for an approval, and gives that and its run.
    private func gatedCall(_ server: RunningServer) async throws -> (approval: String, run: String)
    {
        let result = try await server.call("fix__send", Self.sending)
        #expect(result["isError"] == true)
        let run = try #require(result["_meta"]?["dev.durable-mcp/run"], "\(result)")
        return (
            try #require(run["approvalId"]?.stringValue), try #require(run["runId"]?.stringValue)
        )
    }

    /// The run once it stands so.
    private func run(
        _ id: String, is status: String, _ server: RunningServer
    ) async throws -> JSONValue {
        for _ in 0..<6 {
            let result = try await server.call(
                "get_run_status", ["runId": .string(id), "waitSeconds": 5])
            let run = try #require(result["structuredContent"], "\(result)")
            if run["status"]?.stringValue == status { return run }
        }
        Issue.record("The run \(id) never was \(status).")
        return .null
    }

    @Test("an approval is shown whole and harmless, approved once, and what it let go acts once")
    func approve() async throws {
        let place = try Place()
        try place.writeConfig()
        let server = try await server(place)
        let (approval, run) = try await gatedCall(server)

        let shown = try await place.run("approvals list")
        #expect(shown.code == 0)
        for text in [
            approval, run, "fix__send", "external", "standard", "hmac-sha256:",
            #""to": "bob\u202e""#, #""text": "line\u0007""#,
        ] { #expect(shown.output.contains(text), "\(text)") }
        #expect(!shown.output.unicodeScalars.contains("\u{202E}"))
        let listed = try await place.run("approvals list --json").json()
        let entry = try #require(listed["approvals"]?.arrayValue?.first)
        #expect(entry["approvalId"]?.stringValue == approval)
        #expect(entry["arguments"] == .object(Self.sending))
        #expect(entry["key"]?.stringValue?.count == 64)
        #expect(entry["upstream"] == "fix")
        let waiting = try await place.run("runs show \(run)")
        #expect(waiting.output.contains("waiting") && waiting.output.contains(approval))

        let approved = try await place.run("approve \(approval) --json")
        #expect(approved.code == 0, "\(approved)")
        #expect(try approved.json()["decision"] == "approved")
        _ = try await self.run(run, is: "completed", server)
        let acts = try place.acts("send")
        #expect(acts.count == 1)
        #expect(acts.first?["key"] == entry["key"])
        #expect(acts.first?["arguments"] == .object(Self.sending))

        let again = try await place.run("approve \(approval)")
        #expect(again.code == 1 && again.errors.contains("approved already"))
        let runs = try await place.run("runs list --status completed --json").json()
        #expect(runs["runs"]?.arrayValue?.first?["runId"]?.stringValue == run)
        let table = try await place.run("runs list")
        #expect(table.output.contains(run) && table.output.hasPrefix("RUN"))

        try await audit(place, run)
        try server.closeInput()
        #expect(try await server.end() == 0)
    }

    private func audit(_ place: Place, _ run: String) async throws {
        let verdict = try await place.run("audit verify")
        #expect(verdict.code == 0, "\(verdict)")
        let tip = try await place.run("audit tip").output.split(separator: "\n")[0]
        #expect(try await place.run("audit verify --expect \(tip)").code == 0)
        let export = try await place.run("audit export --run \(run)")
        #expect(export.code == 0 && export.errors.hasPrefix("Tip: v1:"))
        let rows = try export.output.split(separator: "\n").map {
            try JSONValue(parsing: String($0))
        }
        #expect(rows.contains { $0["type"] == "effect.result" && $0["outcome"] == "succeeded" })
        #expect(!export.output.contains("bob"))
        let filed = try await place.run("audit export --format csv --output rows.csv")
        #expect(filed.code == 0 && filed.output.isEmpty)
        let csv = try String(contentsOfFile: place.folder + "/rows.csv", encoding: .utf8)
        #expect(csv.hasPrefix("position,") && csv.contains(run))
    }

    @Test("an approval given while no server runs is carried out by the next one")
    func approveBetween() async throws {
        let place = try Place()
        try place.writeConfig()
        let first = try await server(place)
        let (approval, run) = try await gatedCall(first)
        first.signal(SIGKILL)
        #expect(try await first.end() == -SIGKILL)

        let approved = try await place.run("approve \(approval)")
        #expect(approved.code == 0, "\(approved)")
        #expect(approved.errors.contains("No server runs on this store"))
        #expect(try place.acts("send").isEmpty)

        let second = try await server(place)
        _ = try await self.run(run, is: "completed", second)
        #expect(try place.acts("send").count == 1)
    }

    @Test("a rejection fails the run, with its reason, and nothing acts")
    func reject() async throws {
        let place = try Place()
        try place.writeConfig()
        let server = try await server(place)
        let (approval, run) = try await gatedCall(server)
        let rejected = try await place.run(["reject", approval, "--reason", "not today"])
        #expect(rejected.code == 0 && rejected.output.contains("rejected"))
        let ended = try await self.run(run, is: "failed", server)
        #expect(ended["error"]?.stringValue?.contains("not today") == true)
        #expect(try place.acts("send").isEmpty)
    }

    @Test("high risk is refused to the local user, and decided with a token of that level")
    func highRisk() async throws {
        let place = try Place()
        try place.writeConfig(durable: "{\"tools\": {\"send\": {\"risk\": \"high\"}}}")
        let server = try await server(place)
        let (approval, run) = try await gatedCall(server)
        let refused = try await place.run("approve \(approval)")
        #expect(refused.code == 1)
        #expect(
            refused.errors.contains("devicePasscode") && refused.errors.contains("--token-file"))

        let weak = try await place.run("token create --role use").output
        try place.write(weak, to: place.folder + "/weak")
        #expect(try await place.run("approve \(approval) --token-file weak").code == 1)
        let strong = try await place.run(
            "token create --principal lead --role approve --auth-level devicePasscode"
        ).output
        let approved = try await place.run(
            ["approve", approval, "--token-file", "-"], input: strong)
        #expect(approved.code == 0, "\(approved)")
        _ = try await self.run(run, is: "completed", server)
        let export = try await place.run("audit export --run \(run)")
        #expect(export.output.contains("\"approver\":\"lead\""))
        #expect(export.output.contains("\"level\":\"devicePasscode\""))
    }

    @Test("a failpoint ends the server as kill -9 does, and the next one goes on")
    func failpoint() async throws {
        let place = try Place()
        try place.writeConfig()
        let first = try await server(place, "--failpoint", "after-body:fix__put:2")
        for value in ["a", "b"] {
            first.send(
                "tools/call",
                [
                    "name": "fix__put", "arguments": ["key": "k", "value": .string(value)],
                    "_meta": ["dev.durable-mcp/requestId": .string(value)],
                ])
        }
        #expect(try await first.end() == -SIGKILL)
        #expect(try place.acts("put").count == 2)

        let second = try await server(place)
        for _ in 0..<50 {
            let runs = try await place.run("runs list --status completed --json").json()
            if runs["runs"]?.arrayValue?.count == 2 { break }
        }
        let acts = try place.acts("put")
        #expect(acts.count >= 3)
        #expect(Set(acts.map { $0["key"] ?? .null }).count == 2)
        #expect(try await place.run("audit verify").code == 0)
        try second.closeInput()
        #expect(try await second.end() == 0)
    }

    @Test("SIGTERM ends a server at a safe point, with 0", arguments: [SIGTERM, SIGINT])
    func signals(number: Int32) async throws {
        let place = try Place()
        let server = try await server(place: place)
        server.signal(number)
        #expect(try await server.end() == 0)
        #expect(server.errors.all.contains { $0.contains("a second one ends at once") })
        #expect(server.errors.all.last?.contains("safe point") == true)
    }

    /// A server in the midst of a call of so many milliseconds.
    private func busyServer(_ place: Place, milliseconds: Int) async throws -> RunningServer {
        try place.writeConfig(
            durable: "{\"tools\": {\"slow\": {\"effect\": \"external\", \"approval\": false}}}")
        let server = try await server(place)
        _ = try await server.ask("tools/list", [:])
        server.send(
            "tools/call",
            [
                "name": "fix__slow",
                "arguments": ["milliseconds": .number(JSONNumber(milliseconds))],
            ])
        while try place.entries("started", of: "slow").isEmpty { await Task.yield() }
        return server
    }

    @Test("a call under way when a server is asked to end is finished, and its result kept")
    func drain() async throws {
        let place = try Place()
        let server = try await busyServer(place, milliseconds: 700)
        server.signal(SIGTERM)
        #expect(try await server.end() == 0)
        #expect(try place.acts("slow").count == 1)
        let runs = try await place.run("runs list --json").json()
        let id = try #require(runs["runs"]?.arrayValue?.first?["runId"]?.stringValue)
        let run = try await place.run("runs show \(id) --json").json()
        #expect(run["steps"]?.arrayValue?.first?["outcome"] == "succeeded")
    }

    @Test("a second signal ends a server at once")
    func secondSignal() async throws {
        let place = try Place()
        let server = try await busyServer(place, milliseconds: 60_000)
        server.signal(SIGTERM)
        _ = try await server.errors.first { $0.contains("a second one ends at once") }
        server.signal(SIGTERM)
        #expect(try await server.end() == 128 + SIGTERM)
        #expect(try place.acts("slow").isEmpty)
    }

    private func server(place: Place) async throws -> RunningServer {
        let server = try RunningServer(["--stdio"], in: place)
        try await server.greet()
        return server
    }

    @Test("a tool that has changed is shown by doctor and is in use again once it is accepted")
    func acceptance() async throws {
        let place = try Place()
        try place.write(Self.script, to: place.folder + "/server.sh")
        try place.write(
            "{\"mcpServers\": {\"sh\": {\"command\": \"/bin/sh\", \"args\": "
                + "[\"\(place.folder)/server.sh\", \"\(place.folder)/text\"]}}}",
            to: place.config)
        for text in ["Old.", "New!"] {
            try place.write(text, to: place.folder + "/text")
            let server = try await server(place)
            let tools = try await server.ask("tools/list", [:])
            #expect("\(tools)".contains("sh__tool") || text == "New!")
            let mark = text == "Old." ? "Pinned 1 tools" : "is withheld"
            _ = try await server.errors.first { $0.contains(mark) }
            try server.closeInput()
            #expect(try await server.end() == 0)
        }
        let doctor = try await place.run("doctor --config \(place.config)")
        #expect(doctor.code == 1)
        #expect(doctor.output.contains("was \"Old.\"") && doctor.output.contains("is \"New!\""))
        #expect(doctor.output.contains("durable-mcp upstream accept sh"))
        let json = try await place.run("doctor --json --config \(place.config)").json()
        let tool = json["upstreams"]?.arrayValue?.first?["tools"]?.arrayValue?.first
        #expect(tool?["changes"]?["description"] == ["pinned": "Old.", "now": "New!"])

        #expect(try await place.run("upstream accept other").code == 1)
        let accepted = try await place.run("upstream accept sh --json")
        #expect(try accepted.json() == ["accepted": ["sh__tool"]])
        #expect(try await place.run("doctor --config \(place.config)").code == 0)
        let again = try await place.run("upstream accept sh")
        #expect(again.code == 1 && again.errors.contains("nothing to accept"))
    }

    /// A server with one tool, whose description is in the file that is named.
    private static let script = #"""
        while read -r line; do
          id=$(printf '%s' "$line" | sed -n 's/.*"id":\("[^"]*"\|[0-9]*\).*/\1/p')
          case "$line" in
          *'"method":"initialize"'*) answer='"result":{"protocolVersion":"2025-06-18",
            "capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
          *'"method":"tools/list"'*) answer='"result":{"tools":[{"name":"tool",
            "description":"'"$(cat "$1")"'","inputSchema":{"type":"object"}}]}' ;;
          *'"id":'*) answer='"error":{"code":-32601,"message":"no"}' ;;
          *) continue ;;
          esac
          printf '{"jsonrpc":"2.0","id":%s,%s}' "$id" "$answer" | tr -d '\n'
          echo
        done
        """#

    @Test("a server that cannot start says why, and ends with 1")
    func badConfig() async throws {
        let place = try Place()
        try place.write("{\"mcpServers\": {\"a__b\": {\"command\": \"x\"}}}", to: place.config)
        let outcome = try await place.run("serve --stdio --config \(place.config)")
        #expect(outcome.code == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("a__b"))
    }

    @Test("over stdio, standard output carries messages alone")
    func standardOutput() async throws {
        let place = try Place()
        try place.writeConfig(rest: ", \"absent\": {\"command\": \"no-such-program\"}")
        let server = try await server(place)
        _ = try await server.call("fix__lookup", ["thing": "sky"])
        try server.closeInput()
        #expect(try await server.end() == 0)
        #expect(server.errors.all.contains { $0.contains("no-such-program") })
    }
}
