import Foundation
import MCPProtocol
import OrderedJSON
import Testing

@Suite(
    "Access", .tags(.process),
    // Each test starts several processes, and there may be few cores.
    .serialized, .timeLimit(.minutes(2)))
struct AccessTests {
    @Test("HTTP lets in whoever has a token, from allowed hosts and origins")
    func entrance() async throws {
        let work = try Workplace()
        try work.configure()
        let server = try await HTTPServing(in: work)
        let good = try await server.request(Method.listTools, [:], token: server.token)
        #expect(good.status == 200, "\(good.text)")
        for token in [nil, "wrong", "dmcp_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
            let answer = try await server.request(Method.listTools, [:], token: token)
            #expect(answer.status == 401)
            #expect(answer.headers["www-authenticate"]?.hasPrefix("Bearer") == true)
        }
        for method in ["GET", "DELETE"] {
            let answer = try await server.send(
                method, headers: [("Authorization", "Bearer \(server.token ?? "")")])
            #expect(answer.status == 405 && answer.headers["allow"] == "POST", "\(method)")
        }
        for (name, value) in [
            ("Origin", "https://evil.example"), ("Host", "evil.example:80"), ("Origin", "null"),
        ] {
            let answer = try await server.request(
                Method.listTools, [:], token: server.token, headers: [(name, value)])
            #expect(answer.status == 403 && answer.text.contains(value), "\(answer.text)")
        }
        let local = try await server.request(
            Method.listTools, [:], token: server.token,
            headers: [("Origin", "http://localhost:3000")])
        #expect(local.status == 200, "\(local.text)")
        let revoked = try await work.json("token", "list")["tokens"]?.arrayValue?.first
        let id = try #require(revoked?["id"]?.stringValue ?? revoked?["tokenId"]?.stringValue)
        #expect(try await work.run("token", "revoke", id).code == 0)
        let after = try await server.request(Method.listTools, [:], token: server.token)
        #expect(after.status == 401)
    }

    @Test("--no-auth lets everybody in as 'local', and says so")
    func open() async throws {
        let work = try Workplace()
        try work.configure()
        let server = try await HTTPServing(in: work, "--no-auth")
        try await eventually("the warning") { server.program.complaints.contains("--no-auth") }
        let answer = try await server.call("fix__lookup", ["thing": "x"])
        #expect(!answer.isError)
        let runs = try await server.call("list_runs")["runs"]?.arrayValue ?? []
        #expect(runs.map { $0["principal"]?.stringValue } == ["local"])
        let outside = try await work.run("serve", "--http", "0.0.0.0:0", "--no-auth")
        #expect(outside.code == 2 && outside.complaints.contains("--no-auth"))
    }

    @Test("a role is needed for each thing")
    func roles() async throws {
        let work = try Workplace()
        try work.configure()
        let user = try await work.token("ann", roles: "use")
        let auditor = try await work.token("eve", roles: "audit")
        let server = try await HTTPServing(in: work)
        let refused = try await server.call("fix__lookup", ["thing": "x"], token: auditor)
        #expect(refused.isError && refused.text.contains("use"), "\(refused.text)")
        #expect(try work.ledger().started("lookup") == 0)
        let call = try await server.call("fix__lookup", ["thing": "x"], token: user)
        #expect(!call.isError)
        let run = try #require(call.runID)
        let seen = try await server.call("get_run_status", ["runId": .string(run)], token: auditor)
        #expect(!seen.isError && seen.status == "completed", "\(seen.text)")
        let cancel = try await server.call("cancel_run", ["runId": .string(run)], token: user)
        #expect(cancel.isError && cancel.text.contains("operate"), "\(cancel.text)")
        let start = try await server.call(
            "start_run", ["script": ["steps": [["finish": "x"]]]], token: auditor)
        #expect(start.isError)
    }

    @Test("nobody approves by naming somebody; the words say how a person does it")
    func approving() async throws {
        let work = try Workplace()
        try work.configure()
        let user = try await work.token("ann", roles: "use")
        let approver = try await work.token("bob", roles: "approve")
        let server = try await HTTPServing(in: work)
        let message: JSONObject = ["to": "somebody", "text": "hello"]
        let waiting = try await server.call("fix__send", message, token: user)
        let approval = try #require(waiting.approvalID)
        #expect(waiting.isError && waiting.json["structuredContent"] == nil)
        #expect(waiting.text.contains("durable-mcp approve \(approval)"), "\(waiting.text)")

        func approve(_ id: String, _ level: String, _ token: String) async throws -> ToolAnswer {
            try await server.call(
                "approve",
                [
                    "approvalId": .string(approval), "approverId": .string(id),
                    "authLevel": .string(level),
                ], token: token)
        }
        for refused in [
            try await approve("ann", "session", user), try await approve("bob", "session", user),
            try await approve("ann", "session", approver),
            try await approve("bob", "biometric", approver),
        ] {
            #expect(refused.isError && refused.text.contains("durable-mcp approve"))
        }
        #expect(try work.ledger().started("send") == 0)
        let approved = try await approve("bob", "session", approver)
        #expect(!approved.isError && approved["decision"] == "approved", "\(approved.text)")
        let twice = try await approve("bob", "session", approver)
        #expect(twice.isError)
        // The same call again, without a request id, finds no waiting run: it is a new one.
        try await eventually("the message") { try work.ledger().done("send") == 1 }
        try await work.expectSoundLog()
    }

    @Test("high risk needs a token that was given devicePasscode")
    func highRisk() async throws {
        let work = try Workplace()
        try work.configure()
        let client = try await work.connect()
        let waiting = try await client.call("fix__liar")
        let approval = try #require(waiting.approvalID)
        #expect(waiting.text.contains("devicePasscode"), "\(waiting.text)")
        let low = try await work.run("approve", approval)
        #expect(low.code == 1 && low.complaints.contains("devicePasscode"), "\(low.complaints)")
        #expect(try work.ledger().started("liar") == 0)
        let tokenFile = "\(work.folder)/token"
        let weak = try await work.token("bob", roles: "approve")
        try work.write(weak, to: tokenFile)
        #expect(try await work.run("approve", approval, "--token-file", tokenFile).code == 1)
        let strong = try await work.token("bob", roles: "approve", level: "devicePasscode")
        try work.write(strong + "\n", to: tokenFile)
        let high = try await work.run("approve", approval, "--token-file", tokenFile)
        #expect(high.code == 0, "\(high.complaints)")
        #expect(try await client.settled(#require(waiting.runID)).status == "completed")
        #expect(try work.ledger().done("liar") == 1)
        try await work.expectSoundLog()
    }

    @Test("a rejected call is not made, and its run says so")
    func rejected() async throws {
        let work = try Workplace()
        try work.configure()
        let client = try await work.connect()
        let waiting = try await client.call("fix__send", ["to": "x", "text": "y"])
        let rejected = try await work.run(
            "reject", try #require(waiting.approvalID), "--reason", "not on Sundays")
        #expect(rejected.code == 0, "\(rejected.complaints)")
        let ended = try await client.settled(try #require(waiting.runID))
        #expect(ended.status == "failed" && ended.text.contains("not on Sundays"))
        #expect(try work.ledger().started("send") == 0)
    }
}
