import DurableSecurity
import MCPProtocol
import OrderedJSON
import Testing

@testable import DurableMCP

@Suite("Who may do what", .timeLimit(.minutes(1)))
struct WhoMayTests {
    private static let question: JSONValue = ["steps": [["approval": "Go on?"]]]

    private static func waiting(_ client: Client) async throws -> (run: JSONValue, id: JSONValue) {
        let started = try await client.ask(
            "start_run", ["script": question, "waitSeconds": 20])
        return (
            try #require(started["runId"]), try #require(started["waitingOn"]?["approvalId"])
        )
    }

    @Test("no principal sees another's runs, however it asks")
    func isolation() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(ServerConfig())
        try await meeting.running(server) { client in
            let (run, _) = try await Self.waiting(client)
            let mine = try await client.ask("get_run_status", ["runId": run])
            let bob = client.acting(as: Meeting.bob)
            for tool in ["get_run_status", "cancel_run"] {
                #expect(try await bob.call(tool, ["runId": run]).isError)
            }
            #expect(try await bob.ask("list_runs")["runs"] == [])
            #expect(try await bob.ask("list_pending_approvals")["approvals"] == [])
            let joined = try await bob.call(
                "start_run",
                [
                    "script": Self.question, "conversationId": mine["conversationId"] ?? .null,
                ])
            #expect(joined.isError)
            // One who sees everything may not act on it.
            let auditor = client.acting(
                as: Principal(id: "dora", roles: [.use, .audit, .operate], authLevel: .session))
            #expect(try await auditor.ask("get_run_status", ["runId": run])["status"] == "waiting")
            #expect(try await auditor.call("cancel_run", ["runId": run]).isError)
            let intruding = try await auditor.call(
                "start_run",
                [
                    "script": Self.question, "conversationId": mine["conversationId"] ?? .null,
                ])
            #expect(intruding.isError)
        }
    }

    @Test("a caller never approves by naming somebody")
    func approveRefusals() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(ServerConfig())
        try await meeting.running(server) { client in
            let (run, id) = try await Self.waiting(client)
            for tool in ["approve", "reject"] {
                func decide(
                    _ client: Client, as name: JSONValue, _ level: JSONValue
                ) async throws -> CallToolResult {
                    try await client.call(
                        tool, ["approvalId": id, "approverId": name, "authLevel": level])
                }
                let agent = try await decide(client, as: "alice", "session")
                #expect(agent.isError)
                #expect(agent.text.contains("role 'approve'"))
                #expect(agent.text.contains("durable-mcp \(tool) \(id.stringValue ?? "")"))
                let carol = client.acting(as: Meeting.carol)
                let other = try await decide(carol, as: "dora", "session")
                #expect(other.isError)
                #expect(other.text.contains("'carol'"))
                let level = try await decide(carol, as: "carol", "biometric")
                #expect(level.isError)
                #expect(level.text.contains("'session'"))
            }
            let status = try await client.ask("get_run_status", ["runId": run])
            #expect(status["status"] == "waiting")
        }
    }

    @Test("high risk needs a higher level, and each approval is decided once")
    func highRisk() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(ServerConfig())
        try await meeting.running(server) { client in
            let started = try await client.ask(
                "start_run",
                [
                    "script": ["steps": [["approval": "Go on?", "risk": "high"]]],
                    "waitSeconds": 20,
                ])
            #expect(started["hint"]?.stringValue?.contains("devicePasscode") == true)
            let id = started["waitingOn"]?["approvalId"] ?? .null
            let low = try await client.acting(as: Meeting.carol).call(
                "approve", ["approvalId": id, "approverId": "carol", "authLevel": "session"])
            #expect(low.isError)
            #expect(low.text.contains("devicePasscode"))
            let person = client.acting(
                as: Principal(id: "erin", roles: [.approve], authLevel: .devicePasscode))
            let claims: JSONObject = [
                "approvalId": id, "approverId": "erin", "authLevel": "devicePasscode",
            ]
            // The level that counts is the one that is claimed.
            var weaker = claims
            weaker["authLevel"] = "session"
            #expect(try await person.call("approve", weaker).isError)
            #expect(try await person.ask("reject", claims)["decision"] == "rejected")
            let again = try await person.call("approve", claims)
            #expect(again.isError)
            #expect(again.text.contains("already"))
        }
    }

    @Test("roles decide what is listed and what is answered")
    func roles() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        try await meeting.running(server) { client in
            let carol = client.acting(as: Meeting.carol)
            #expect(
                try await carol.names() == ["list_pending_approvals", "approve", "reject"])
            let refused = try await carol.call("fix__lookup", ["thing": "x"])
            #expect(refused.isError)
            #expect(refused.text.contains("'use'"))
            #expect(try await carol.call("start_run", ["script": Self.question]).isError)
            let caller = client.acting(
                as: Principal(id: "fred", roles: [.use], authLevel: .session))
            let names = try await caller.names()
            #expect(names.contains("fix__lookup"))
            #expect(names.contains("approve"))
            #expect(!names.contains("cancel_run"))
        }
    }

    @Test("a group that is not exposed is neither listed nor called")
    func exposed() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(
            meeting.config(rest: #", "expose": {"approvals": false, "proxy": false}"#))
        try await meeting.running(server) { client in
            let names = try await client.names()
            #expect(
                names == ["start_run", "get_run_status", "list_runs", "cancel_run", "export_audit"])
            for tool in ["approve", "fix__lookup"] {
                await #expect(throws: RPCError.self) { try await client.call(tool) }
            }
        }
    }
}
