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
}
