import Foundation
import MCPProtocol
import OrderedJSON
import Testing

@Suite(
    "A caller's request id", .tags(.process),
    // Each test starts several processes, and there may be few cores.
    .serialized, .timeLimit(.minutes(2)))
struct RequestIDTests {
    private static let message: JSONObject = ["to": "somebody", "text": "hello"]
    private static let tools: JSONValue = [
        "send": ["effect": "external", "approval": false], "put": ["effect": "idempotent"],
    ]

    @Test("a retry over stdio finds the first run, also after a crash")
    func stdio() async throws {
        let work = try Workplace()
        try work.configure(servers: ["fix": work.fixture(tools: Self.tools)])
        let client = try await work.connect()
        let first = try await client.call("fix__send", Self.message, requestID: "one")
        #expect(first.status == "completed" && !first.isError, "\(first.text)")
        let again = try await client.call("fix__send", Self.message, requestID: "one")
        #expect(again.runID == first.runID && again.text == first.text)
        let other = try await client.call(
            "fix__send", ["to": "somebody else", "text": "hello"], requestID: "one")
        #expect(other.isError && other.text.contains("one"), "\(other.text)")
        let otherTool = try await client.call(
            "fix__put", ["key": "a", "value": "b"], requestID: "one")
        #expect(otherTool.isError, "\(otherTool.text)")
        try await client.program.kill()

        let legacy = try await work.connect(era: .legacy)
        let late = try await legacy.call("fix__send", Self.message, requestID: "one")
        #expect(late.runID == first.runID && late.text == first.text && !late.isError)
        #expect(late.json["structuredContent"] == first.json["structuredContent"])
        #expect(try work.ledger().started("send") == 1)
        try await work.expectSoundLog()
    }

    @Test("a retry while the first call runs attaches to it, from another process too")
    func attached() async throws {
        let work = try Workplace()
        try work.configure(servers: ["fix": work.fixture(tools: Self.tools)])
        let (first, second) = (try await work.connect(), try await work.connect())
        var slow = Self.message
        slow["milliseconds"] = 700
        let id = try first.post("fix__send", slow, requestID: "one")
        try await eventually("the call") { try work.ledger().started("send") == 1 }
        let beside = try first.post("fix__send", slow, requestID: "one")
        let elsewhere = try await second.call("fix__send", slow, requestID: "one")
        let answers = [
            try await first.answer(to: id).toolAnswer,
            try await first.answer(to: beside).toolAnswer, elsewhere,
        ]
        #expect(answers.allSatisfy { !$0.isError && $0.status == "completed" })
        #expect(Set(answers.map(\.runID)).count == 1)
        #expect(try work.ledger().started("send") == 1)
    }

    @Test("over HTTP the header Idempotency-Key is one")
    func http() async throws {
        let work = try Workplace()
        try work.configure(servers: ["fix": work.fixture(tools: Self.tools)])
        let header = [(HeaderName.idempotencyKey, "\"two\"")]
        let server = try await HTTPServing(in: work)
        let first = try await server.call("fix__send", Self.message, headers: header)
        #expect(first.status == "completed" && !first.isError, "\(first.text)")
        let again = try await server.call("fix__send", Self.message, headers: header)
        #expect(again.runID == first.runID)
        let other = try await server.call(
            "fix__send", ["to": "x", "text": "y"], headers: header)
        #expect(other.isError, "\(other.text)")
        // In the body as well, and not the same: nobody can know which is meant.
        let params: JSONObject = [
            "name": "fix__send", "arguments": .object(Self.message),
            "_meta": [MetaKey.requestID: "three"],
        ]
        let both = try await server.request(
            Method.callTool, params, token: server.token, headers: header)
        #expect(both.json?["error"]?["code"] == -32602, "\(both.text)")
        try await server.program.kill()

        let next = try await HTTPServing(in: work)
        // The token was made and shown by the first server, and still opens the second.
        #expect(next.token == "${DURABLE_MCP_TOKEN}")
        let late = try await next.call(
            "fix__send", Self.message, token: server.token, headers: header)
        #expect(late.runID == first.runID && late.text == first.text)
        #expect(try work.ledger().started("send") == 1)
    }

    @Test("two principals with one request id have a run each")
    func principals() async throws {
        let work = try Workplace()
        try work.configure(servers: ["fix": work.fixture(tools: Self.tools)])
        let ann = try await work.token("ann", roles: "use")
        let bob = try await work.token("bob", roles: "use")
        let server = try await HTTPServing(in: work)
        let header = [(HeaderName.idempotencyKey, "same")]
        let first = try await server.call(
            "fix__send", Self.message, token: ann, headers: header)
        let second = try await server.call(
            "fix__send", Self.message, token: bob, headers: header)
        #expect(!first.isError && !second.isError)
        #expect(first.runID != second.runID)
        let run = try #require(first.runID)
        let strange = try await server.call(
            "get_run_status", ["runId": .string(run)], token: bob)
        #expect(strange.isError && !strange.text.contains("ann"), "\(strange.text)")
    }
}

extension Workplace {
    /// Makes a token.
    func token(
        _ principal: String, roles: String, level: String = "session"
    ) async throws -> String {
        let made = try await json(
            "token", "create", "--principal", principal, "--role", roles, "--auth-level", level)
        guard let token = made["token"]?.stringValue else {
            throw HTTPServing.Failure(description: "No token: \(made.text)")
        }
        return token
    }
}
