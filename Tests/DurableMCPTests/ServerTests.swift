import DurableEngine
import DurableLog
import DurableSecurity
import DurableTesting
import MCPServer
import OrderedJSON
import Testing

@testable import DurableMCP

@Suite("The whole server", .timeLimit(.minutes(1)))
struct ServerTests {
    @Test("it serves over HTTP until it is stopped")
    func stops() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        try await server.serveHTTP(at: "127.0.0.1:0") { port in
            #expect(port > 0)
            server.stop()
        } authenticate: { _ in
            .allowed(Meeting.alice)
        }
    }

    @Test("an address that cannot be served is an error, and ends everything")
    func badAddress() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        await #expect(throws: (any Error).self) {
            try await server.serveHTTP(at: "203.0.113.1:1") { _ in
            } authenticate: { _ in
                .allowed(Meeting.alice)
            }
        }
    }

    @Test("what is under way when it ends is finished, and the next step is another process's")
    func handsOn() async throws {
        let meeting = Meeting()
        let config = try meeting.config(durable: #"{"tools": {"*": {"approval": false}}}"#)
        let first = try await meeting.server(config)
        let runID = try await meeting.running(first) { client in
            let started = try await client.ask(
                "start_run",
                [
                    "script": [
                        "steps": [
                            ["tool": "fix__slow", "arguments": ["milliseconds": 300]],
                            ["tool": "fix__send", "arguments": ["to": "a", "text": "b"]],
                            ["finish": "Done."],
                        ]
                    ]
                ])
            while try meeting.count("started", "slow") == 0 { await Task.yield() }
            return try #require(started["runId"])
        }
        #expect(try meeting.count("done", "slow") == 1)
        #expect(try meeting.count("started", "send") == 0)

        let second = try await meeting.server(config)
        try await meeting.running(second) { client in
            let run = try await client.ask(
                "get_run_status", ["runId": runID, "waitSeconds": 20])
            #expect(run["status"] == "completed")
        }
        #expect(try meeting.count("started", "slow") == 1)
        #expect(try meeting.count("done", "send") == 1)
    }

    @Test("a run of one process is seen, approved and cancelled through another")
    func shared() async throws {
        let meeting = Meeting()
        let first = try await meeting.server(meeting.config())
        let second = try await meeting.server(meeting.config())
        try await meeting.running(first) { here in
            try await meeting.running(second) { there in
                let waiting = try await here.call("fix__send", ["to": "a", "text": "b"])
                let runID = waiting.run?["runId"] ?? .null
                let seen = try await there.ask("get_run_status", ["runId": runID])
                #expect(seen["status"] == "waiting")
                let decided = try await there.acting(as: Meeting.carol).ask(
                    "approve",
                    [
                        "approvalId": waiting.run?["approvalId"] ?? .null,
                        "approverId": "carol", "authLevel": "session",
                    ])
                #expect(decided["runId"] == runID)
                let run = try await here.ask(
                    "get_run_status", ["runId": runID, "waitSeconds": 20])
                #expect(run["status"] == "completed")
            }
        }
        #expect(try meeting.count("done", "send") == 1)
    }

    @Test("a command line that runs no work can decide, and others go on")
    func commandLine() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        let command = try await meeting.server(ServerConfig()) { $0.engine.runsWork = false }
        try await meeting.running(server) { client in
            let waiting = try await client.call("fix__send", ["to": "a", "text": "b"])
            let approval = waiting.run?["approvalId"]?.stringValue ?? ""
            _ = try await command.engine.answer(
                ApprovalAnswer(
                    approvalID: ApprovalID(rawValue: approval), approves: true,
                    approver: Principal(id: "os:root", roles: [.admin], authLevel: .session)))
            let run = try await client.ask(
                "get_run_status",
                ["runId": waiting.run?["runId"] ?? .null, "waitSeconds": 20])
            #expect(run["status"] == "completed")
        }
    }
}
