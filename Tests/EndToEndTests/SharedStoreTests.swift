import Foundation
import OrderedJSON
import Testing

@Suite(
    "Several servers on one store", .tags(.process),
    // Each test starts several processes, and there may be few cores.
    .serialized, .timeLimit(.minutes(2)))
struct SharedStoreTests {
    /// Starts three servers at once, as three clients of one user do.
    private func three(_ work: Workplace) async throws -> [StdioClient] {
        try work.configure()
        async let first = work.connect()
        async let second = work.connect(era: .legacy)
        async let third = work.connect()
        return try await [first, second, third]
    }

    @Test("all of them work, and each sees the runs of the others")
    func together() async throws {
        let work = try Workplace()
        let clients = try await three(work)
        let answers = try await withThrowingTaskGroup(of: ToolAnswer.self) { group in
            for (index, client) in clients.enumerated() {
                for call in 0..<5 {
                    group.addTask {
                        try await client.call("fix__lookup", ["thing": .string("\(index)-\(call)")])
                    }
                }
            }
            return try await group.reduce(into: [ToolAnswer]()) { $0.append($1) }
        }
        let runs = Set(answers.compactMap(\.runID))
        #expect(answers.allSatisfy { !$0.isError && $0.status == "completed" })
        #expect(runs.count == 15)
        #expect(try work.ledger().done("lookup") == 15)
        for client in clients {
            let listed = try await client.call("list_runs", ["limit": 100])["runs"]?.arrayValue
            #expect(Set((listed ?? []).compactMap { $0["runId"]?.stringValue }) == runs)
        }
        try await work.expectSoundLog()
    }

    @Test("one carries out what another is asked to do with its runs")
    func commands() async throws {
        let work = try Workplace()
        let clients = try await three(work)
        let script: JSONValue = [
            "steps": [
                ["tool": "fix__send", "arguments": ["to": "somebody", "text": "hello"]],
                ["finish": "Sent."],
            ]
        ]
        let started = try await clients[0].call(
            "start_run", ["script": script, "waitSeconds": 20])
        #expect(started.status == "waiting", "\(started.text)")
        let run = try #require(started.runID)
        let approved = try await work.run("approve", #require(started.approvalID))
        #expect(approved.code == 0, "\(approved.complaints)")
        #expect(try await clients[1].settled(run).status == "completed")
        #expect(
            try await clients[2].call("get_run_status", ["runId": .string(run)])["finalText"]
                == "Sent.")

        // A run that goes on in one process is cancelled from another.
        let long: JSONValue = [
            "steps": [
                ["tool": "fix__lookup", "arguments": ["thing": "x", "milliseconds": 30_000]]
            ]
        ]
        let busy = try await clients[0].call("start_run", ["script": long])
        let busyRun = try #require(busy.runID)
        try await eventually("its call") { try work.ledger().started("lookup") == 1 }
        let cancelled = try await clients[1].call("cancel_run", ["runId": .string(busyRun)])
        #expect(!cancelled.isError, "\(cancelled.text)")
        #expect(try await clients[2].settled(busyRun).status == "cancelled")
        try await work.expectSoundLog()
    }

    @Test("when one is killed, others take its runs over within a second or little more")
    func takeover() async throws {
        let work = try Workplace()
        let clients = try await three(work)
        let script: JSONValue = [
            "steps": [
                ["tool": "fix__lookup", "arguments": ["thing": "moss", "milliseconds": 2500]],
                ["finish": "Looked up."],
            ]
        ]
        let calls = try (0..<10).map { _ in
            try clients[0].post("start_run", ["script": script])
        }
        var runs: [String] = []
        for call in calls {
            let started = try await clients[0].answer(to: call).toolAnswer
            runs.append(try #require(started.runID, "\(started.text)"))
        }
        try await eventually("their calls") { try work.ledger().started("lookup") == runs.count }
        let store = StoreReader(path: work.storePath)
        var epochs: [String: Int] = [:]
        for run in runs { epochs[run] = try store.events(ofRun: run).map(\.epoch).max() }
        let killedAt = Date().timeIntervalSince1970 * 1000
        try await clients[0].program.kill()
        var delays: [Double] = []
        // On a busy machine some may have ended before.
        let interrupted = try runs.filter { run in
            try !store.events(ofRun: run).contains {
                $0.type == "run.ended" && $0.epoch == epochs[run]
            }
        }
        try #require(!interrupted.isEmpty)
        for run in interrupted {
            let before = try #require(epochs[run])
            let first = try await awaited("an event of another process") {
                try store.events(ofRun: run).first { $0.epoch > before }
            }
            delays.append(Double(first.time) - killedAt)
        }
        let (first, last) = (Int(delays.min() ?? 0), Int(delays.max() ?? 0))
        let what = "Takeover of \(interrupted.count) runs"
        print("\(what): first \(first) ms, last \(last) ms after SIGKILL")
        // A second is the aim, and measured apart; here the machine may be busy.
        #expect(first < 5000 && last < 10_000)

        for run in runs {
            let ended = try await clients[1].settled(run)
            #expect(ended.status == "completed" && ended["finalText"] == "Looked up.")
        }
        let ledger = try work.ledger()
        #expect(ledger.started("lookup") <= runs.count + interrupted.count)
        #expect(ledger.keys("lookup").count == runs.count)
        for client in clients[1...] {
            let answer = try await client.call("fix__lookup", ["thing": "after"])
            #expect(!answer.isError, "\(answer.text)")
        }
        try await work.expectSoundLog()
    }

    @Test("a server whose client has gone hands its run on")
    func clientGone() async throws {
        let work = try Workplace()
        let clients = try await three(work)
        let steps = (0..<40).map { index -> JSONValue in
            [
                "tool": "fix__lookup",
                "arguments": ["thing": .string("\(index)"), "milliseconds": 30],
            ]
        }
        let script: JSONValue = ["steps": .array(steps)]
        let run = try #require(
            try await clients[0].call("start_run", ["script": script]).runID)
        try await eventually("its calls") { try work.ledger().done("lookup") > 2 }
        try clients[0].program.closeInput()
        let ending = try await clients[0].program.awaitEnd()
        #expect(ending == .init(code: 0, isSignal: false), "\(clients[0].program)")
        #expect(try await clients[2].settled(run).status == "completed")
        // It stopped at a safe point: nothing was begun twice.
        #expect(try work.ledger().started("lookup") == 40)
        try await work.expectSoundLog()
    }

    @Test("a killed server leaves no process behind")
    func children() async throws {
        let work = try Workplace()
        try work.configure(servers: ["one": work.fixture(), "two": work.fixture()])
        let client = try await work.connect()
        for name in ["one", "two"] {
            _ = try await client.call("\(name)__lookup", ["thing": "stone"])
        }
        // One that does not even listen to its input.
        _ = try client.post("one__lookup", ["thing": "stone", "milliseconds": 60_000])
        try await eventually("the slow call") { try work.ledger().started("lookup") == 3 }
        let children = Processes.descendants(of: client.program.identifier)
        let fixtures = Set(try work.ledger().entries.map(\.process))
        #expect(fixtures.count == 2 && fixtures.isSubset(of: children))
        #expect(children.count >= 4)
        try await client.program.kill()
        try await eventually("the end of \(children)", within: .seconds(10)) {
            !children.contains(where: Processes.isRunning)
        }
    }
}
