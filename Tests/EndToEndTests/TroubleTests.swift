import Foundation
import MCPProtocol
import OrderedJSON
import Testing

@Suite(
    "Trouble around a run", .tags(.process),
    // Each test starts several processes, and there may be few cores.
    .serialized, .timeLimit(.minutes(2)))
struct TroubleTests {
    private static let message: JSONObject = ["to": "somebody", "text": "hello"]

    @Test("an approval whose command is killed counts once or not at all")
    func killedApproval() async throws {
        let work = try Workplace()
        try work.configure()
        let client = try await work.connect()
        let delays = [5, 20, 35, 50, 65, 80, 100, 130]
        for (index, delay) in delays.enumerated() {
            let waiting = try await client.call("fix__send", ["to": "\(index)", "text": "hello"])
            let approval = try #require(waiting.approvalID)
            let command = try work.start(["approve", approval])
            // The moment is what the test is about: this is no waiting for something.
            try await Task.sleep(for: .milliseconds(delay))
            try await command.kill()
            // Either the first was in time, or this one does it.
            let again = try await work.run("approve", approval)
            #expect(again.code == 0 || again.complaints.contains("approved"), "\(again)")
            let ended = try await client.settled(try #require(waiting.runID))
            #expect(ended.status == "completed", "\(ended.text)")
            #expect(try work.ledger().started("send") == index + 1)
        }
        try await work.expectSoundLog()
    }

    @Test("a run that ends every server is put aside, and its neighbours go on")
    func parked() async throws {
        let work = try Workplace()
        try work.configure()
        let first = try await work.connect(failpoint: "after-intent:fix__put")
        let put: JSONValue = ["tool": "fix__put", "arguments": ["key": "a", "value": "b"]]
        let bad: JSONValue = ["steps": [put]]
        _ = try first.post("start_run", ["script": bad], requestID: "bad")
        try await first.program.awaitEnd()
        var crashes = 1
        var client = try await work.connect(failpoint: "after-intent:fix__put")
        while true {
            let neighbour = try client.post(
                "fix__lookup", ["thing": "x"], requestID: "n\(crashes)")
            // Its server may end before it answers.
            let answer = try? await client.answer(to: neighbour).toolAnswer
            let isAlive = try await isParkedOrGone(client)
            if isAlive {
                let late = try await client.call(
                    "fix__lookup", ["thing": "x"], requestID: "n\(crashes)")
                #expect(!late.isError && (answer == nil || answer?.runID == late.runID))
                break
            }
            crashes += 1
            try #require(crashes < 10, "It ends one server after another.")
            client = try await work.connect(failpoint: "after-intent:fix__put")
        }
        #expect((3...6).contains(crashes), "\(crashes) crashes")
        let runs = try await client.call("list_runs", ["status": "parked"])["runs"]?.arrayValue
        let run = try #require(runs?.first?["runId"]?.stringValue)
        let parked = try await client.settled(run)
        #expect(parked.status == "parked" && parked["hint"] != nil, "\(parked.text)")
        let cancelled = try await client.call("cancel_run", ["runId": .string(run)])
        #expect(!cancelled.isError, "\(cancelled.text)")
        #expect(try await client.settled(run).status == "cancelled")
        try await work.expectSoundLog()
    }

    /// Whether the server lives and has put the run aside, rather than ended.
    private func isParkedOrGone(_ client: StdioClient) async throws -> Bool {
        try await awaited("the end of the server or of its trouble") { () -> Bool? in
            guard client.program.isRunning else { return false }
            do {
                let parked = try await client.call("list_runs", ["status": "parked"])
                return parked["runs"]?.arrayValue?.isEmpty == false ? true : nil
            } catch is StdioClient.ServerEnded {
                return false
            }
        }
    }

    @Test("an upstream that dies in a call leaves an external one open, and serves again")
    func upstreamKilled() async throws {
        let work = try Workplace()
        try work.configure()
        let client = try await work.connect()
        let id = try client.post("fix__slow", ["milliseconds": 20_000])
        let started = try await awaited("the call") { try work.ledger().entries.first }
        kill(started.process, SIGKILL)
        let answer = try await client.answer(to: id).toolAnswer
        #expect(answer.isError && answer.status == "waiting", "\(answer.text)")
        let approval = try #require(answer.approvalID)
        let again = try await client.call("fix__lookup", ["thing": "x"])
        #expect(!again.isError, "\(again.text)")
        let settled = try await work.run("approve", approval, "--output", #""It was done.""#)
        #expect(settled.code == 0, "\(settled.complaints)")
        #expect(try await client.settled(try #require(answer.runID)).status == "completed")
        #expect(try work.ledger().started("slow") == 1)
        try await work.expectSoundLog()
    }

    @Test("a lost reply is never taken for a failure")
    func lostReply() async throws {
        let work = try Workplace()
        let tools: JSONValue = [
            "lost_reply": ["effect": "external", "approval": false, "timeoutSeconds": 1],
            "crash": ["effect": "external", "approval": false],
            "rpc_error": ["effect": "external", "approval": false],
        ]
        try work.configure(servers: ["fix": work.fixture(tools: tools)])
        let client = try await work.connect()
        let cases: [(String, JSONObject)] = [
            ("lost_reply", [:]), ("crash", ["when": "after"]), ("rpc_error", ["code": -32603]),
        ]
        for (tool, arguments) in cases {
            let answer = try await client.call("fix__\(tool)", arguments)
            #expect(answer.isError && answer.status == "waiting", "\(tool): \(answer.text)")
            #expect(answer.text.contains("unknown"), "\(tool): \(answer.text)")
            let run = try await client.call(
                "get_run_status", ["runId": .string(try #require(answer.runID))])
            #expect(run["steps"]?.arrayValue?.first?["outcome"] == "unknown", "\(run.text)")
        }
        // This code says that nothing was done.
        let refused = try await client.call("fix__rpc_error", ["code": -32602])
        #expect(refused.isError && refused.status == "failed", "\(refused.text)")
        try await work.expectSoundLog()
    }

    @Test("a run waits where its upstreams are missing, says which, and goes on where they are")
    func missingUpstream() async throws {
        let work = try Workplace()
        try work.configure()
        let able = try await work.connect()
        let script: JSONValue = [
            "steps": [
                ["tool": "fix__lookup", "arguments": ["thing": "x", "milliseconds": 2000]],
                ["finish": "Done."],
            ]
        ]
        let run = try #require(try await able.call("start_run", ["script": script]).runID)
        try await eventually("the call") { try work.ledger().started("lookup") == 1 }
        try await able.program.kill()

        let full = try String(contentsOfFile: work.configPath, encoding: .utf8)
        try work.configure(servers: [:])
        let unable = try await work.connect()
        let waiting = try await awaited("the reason") { () -> ToolAnswer? in
            let answer = try await unable.call("get_run_status", ["runId": .string(run)])
            return answer["waitingOn"] == nil ? nil : answer
        }
        #expect(waiting.text.contains("fix"), "\(waiting.text)")
        #expect(try work.ledger().started("lookup") == 1)
        try work.write(full, to: work.configPath)
        let next = try await work.connect()
        let ended = try await next.settled(run)
        #expect(ended.status == "completed", "\(ended.text)")
        #expect(try await unable.settled(run).status == "completed")
        try await work.expectSoundLog()
    }

    @Test("more requests at once than are taken are refused, and the server lives")
    func flood() async throws {
        let work = try Workplace()
        try work.configure()
        let client = try await work.connect()
        let ids = try (0..<600).map { index in
            try client.post("fix__lookup", ["thing": .string("\(index)")])
        }
        var done = 0
        for id in ids {
            switch try await client.answer(to: id) {
            case .result(_, let result): done += ToolAnswer(result).isError ? 0 : 1
            case .error(_, let error): #expect(!error.message.isEmpty)
            case .request, .notification: Issue.record("No answer")
            }
        }
        let carriedOut = try work.ledger().done("lookup")
        #expect(done >= 1 && done == carriedOut)
        let later = try await client.call("fix__lookup", ["thing": "later"])
        #expect(!later.isError, "\(later.text)")
    }
}
