import DurableTesting
import Foundation
import OrderedJSON
import Testing

/// One piece of work of the load, known by its mark.
private struct Work: Sendable {
    enum Form: CaseIterable { case lookup, put, send, script }

    let mark: String
    let form: Form

    var tool: String {
        switch form {
        case .lookup: "fix__lookup"
        case .put: "fix__put"
        case .send: "fix__send"
        case .script: "start_run"
        }
    }

    var arguments: JSONObject {
        switch form {
        case .lookup: ["thing": .string(mark)]
        case .put: ["key": .string(mark), "value": "x"]
        case .send: ["to": .string(mark), "text": "x"]
        case .script:
            [
                "script": [
                    "steps": [
                        ["tool": "fix__put", "arguments": Work(mark, .put).json],
                        ["tool": "fix__send", "arguments": Work(mark, .send).json],
                        ["tool": "fix__lookup", "arguments": Work(mark, .lookup).json],
                    ]
                ],
                "waitSeconds": 20,
            ]
        }
    }

    init(_ mark: String, _ form: Form) {
        self.mark = mark
        self.form = form
    }

    private var json: JSONValue { .object(arguments) }
}

@Suite("A server killed at random", .tags(.process), .timeLimit(.minutes(4)))
struct RandomKillTests {
    private static let tools: JSONValue = [
        "lookup": ["effect": "pure"],
        "put": ["effect": "idempotent"],
        "send": ["effect": "external", "approval": false],
    ]
    /// How many servers are killed in one test.
    private static let rounds = 20

    @Test("loses nothing that was acknowledged, and repeats no external effect", arguments: [1, 2])
    func kills(servers count: Int) async throws {
        var random = SeededGenerator.announced("Random kills of one in \(count)")
        let work = try Workplace()
        try work.configure(servers: ["fix": work.fixture(tools: Self.tools)])
        var loads: [Load] = []
        for number in 0..<count { loads.append(Load(try await work.connect(), number)) }
        var ended: [Load] = []
        var tip = ""
        for round in 1...Self.rounds {
            // The moment is random: this is no waiting for something.
            let end =
                ContinuousClock.now + .milliseconds(Int.random(in: 20...900, using: &random))
            while ContinuousClock.now < end {
                for load in loads { try load.step(&random) }
                try await Task.sleep(for: .milliseconds(2))
            }
            let victim = Int.random(in: 0..<count, using: &random)
            try await loads[victim].client.program.kill()
            try loads[victim].collect()
            ended.append(loads[victim])
            if round == Self.rounds / 2 { tip = try await work.run("audit", "tip").output }
            let next = try await work.connect()
            try await next.awaitStartMostly(&random)
            loads[victim] = Load(next, count + round)
        }
        let all = ended + loads
        let sent = all.flatMap(\.sent)
        let acknowledged = all.reduce(into: [:]) { $0.merge($1.acknowledged) { old, _ in old } }
        let client = loads[0].client
        var standings: [String: Int] = [:]
        for one in sent {
            let standing = try await settle(one, client, acknowledged[one.mark])
            standings[standing, default: 0] += 1
        }
        try expect(try work.ledger(), after: sent, acknowledged)
        try await expectRuns(client)
        for load in loads {
            try load.client.program.closeInput()
            try await load.client.program.awaitEnd()
        }
        try await work.expectSoundLog()
        let verdict = try await work.run("audit", "verify", "--expect", tip)
        #expect(verdict.code == 0, "\(verdict.output) \(verdict.complaints)")
        print("Random kills: \(acknowledged.count) of \(sent.count) acknowledged; \(standings)")
    }

    /// Asks again for a piece of work, which must end, or wait for a stated reason.
    private func settle(
        _ one: Work, _ client: StdioClient, _ acknowledged: ToolAnswer?
    ) async throws -> String {
        let answer = try await client.call(one.tool, one.arguments, requestID: one.mark)
        let isAcknowledged = acknowledged != nil
        if let acknowledged {
            #expect(answer.runID == acknowledged.runID && answer.text == acknowledged.text)
        }
        switch answer.status {
        case "completed": #expect(!answer.isError, "\(one.mark): \(answer.text)")
        case "waiting":
            #expect(!isAcknowledged && [.send, .script].contains(one.form), "\(one.mark)")
            #expect(answer.approvalID != nil, "\(one.mark): \(answer.text)")
        case "parked": #expect(!isAcknowledged && !answer.text.isEmpty, "\(one.mark)")
        default: Issue.record("\(one.mark): \(answer.status ?? "no status"): \(answer.text)")
        }
        return answer.status ?? ""
    }

    private func expect(
        _ ledger: Ledger, after sent: [Work], _ acknowledged: [String: ToolAnswer]
    ) throws {
        let sends = Dictionary(grouping: ledger.entries.filter { $0.tool == "send" }) {
            $0.arguments["to"]?.stringValue ?? ""
        }
        for (mark, entries) in sends {
            #expect(entries.count { !$0.isDone } == 1, "\(mark) was begun again")
            #expect(entries.count(where: \.isDone) <= 1, "\(mark) was done again")
        }
        let puts = Dictionary(grouping: ledger.entries.filter { $0.tool == "put" }) {
            $0.arguments["key"]?.stringValue ?? ""
        }
        for (mark, entries) in puts {
            let keys = Set(entries.map(\.key))
            #expect(keys.count == 1 && !keys.contains(nil), "\(mark): \(keys)")
        }
        for one in sent where acknowledged[one.mark] != nil {
            switch one.form {
            case .send: #expect(sends[one.mark]?.contains(where: \.isDone) == true)
            case .put, .script: #expect(puts[one.mark]?.contains(where: \.isDone) == true)
            case .lookup: break
            }
        }
    }

    /// No run is left that neither ended nor says why it waits.
    private func expectRuns(_ client: StdioClient) async throws {
        var cursor: JSONValue?
        repeat {
            var arguments: JSONObject = ["limit": 100]
            arguments["cursor"] = cursor
            let page = try await client.call("list_runs", arguments)
            for run in page["runs"]?.arrayValue ?? [] {
                let status = run["status"]?.stringValue ?? ""
                #expect(["completed", "waiting", "parked"].contains(status), "\(run.text)")
            }
            cursor = page["nextCursor"]
        } while cursor != nil
    }
}

/// Calls that are made one after another, several at once, until their server is killed.
private final class Load {
    private static let atOnce = 6

    let client: StdioClient
    private let number: Int
    private(set) var sent: [Work] = []
    private(set) var acknowledged: [String: ToolAnswer] = [:]
    private var open: [(id: Int, mark: String)] = []

    init(_ client: StdioClient, _ number: Int) {
        self.client = client
        self.number = number
    }

    /// Takes what has been answered, and asks for more.
    func step(_ random: inout SeededGenerator) throws {
        try collect()
        while open.count < Self.atOnce {
            let form = Work.Form.allCases.randomElement(using: &random) ?? .send
            let one = Work("\(number)-\(sent.count)", form)
            sent.append(one)
            let id = try client.post(one.tool, one.arguments, requestID: one.mark)
            open.append((id, one.mark))
        }
    }

    func collect() throws {
        var left: [(id: Int, mark: String)] = []
        for call in open {
            guard let message = try client.answerIfThere(to: call.id) else {
                left.append(call)
                continue
            }
            let answer = try message.toolAnswer
            #expect(!answer.isError && answer.status == "completed", "\(answer.text)")
            acknowledged[call.mark] = answer
        }
        open = left
    }
}
