import DurableTesting
import Foundation
import OrderedJSON
import Testing

/// What somebody does about a call that waits.
private enum Decision: String, CaseIterable {
    case approve, reject, cancel
}

/// A call that waits for an approval, and what was done about it.
private struct Gate {
    let mark: String
    let runID: String
    let approvalID: String
    var asked: Set<Decision> = []
    var taken: [Decision] = []
}

@Suite("Decisions while servers are killed", .tags(.process), .timeLimit(.minutes(4)))
struct RandomDecisionTests {
    private static let rounds = 10

    @Test("each counts once, and nothing is done without one")
    func decisions() async throws {
        var random = SeededGenerator.announced("Random decisions")
        let work = try Workplace()
        try work.configure(adding: [
            "access": [
                "stdio": ["principal": "tester", "roles": ["use", "operate", "approve"]]
            ]
        ])
        let desk = Desk()
        var clients = [try await work.connect(), try await work.connect()]
        for _ in 1...Self.rounds {
            // The moment is random: this is no waiting for something.
            let end =
                ContinuousClock.now + .milliseconds(Int.random(in: 20...700, using: &random))
            while ContinuousClock.now < end {
                try desk.step(clients, &random)
                try await Task.sleep(for: .milliseconds(2))
            }
            let victim = Int.random(in: 0...1, using: &random)
            try await clients[victim].program.kill()
            try desk.collect()
            desk.forget(clients[victim])
            clients[victim] = try await work.connect()
            try await clients[victim].awaitStartMostly(&random)
        }
        try await eventually("the last answers") {
            try desk.collect()
            return desk.isIdle
        }
        var answers: [String: ToolAnswer] = [:]
        for mark in desk.sent {
            answers[mark] = try await clients[0].call(
                "fix__send", Desk.arguments(mark), requestID: mark)
        }
        let ledger = try work.ledger()
        var standings: [String: Int] = [:]
        for (mark, answer) in answers {
            let status = answer.status ?? answer.text
            standings[status, default: 0] += 1
            let entries = ledger.entries.filter { $0.arguments["to"]?.stringValue == mark }
            #expect(entries.count { !$0.isDone } <= 1, "\(mark) was begun again")
            guard let gate = desk.gates[mark] else {
                #expect(entries.isEmpty && status == "waiting", "\(mark): \(answer.text)")
                continue
            }
            expect(gate, answer, isBegun: !entries.isEmpty)
        }
        for client in clients {
            try client.program.closeInput()
            try await client.program.awaitEnd()
        }
        try await work.expectSoundLog()
        let taken = desk.gates.values.reduce(0) { $0 + $1.taken.count }
        print("Random decisions: \(taken) taken of \(desk.sent.count) calls; \(standings)")
    }

    private func expect(_ gate: Gate, _ answer: ToolAnswer, isBegun: Bool) {
        let story: Comment = "\(gate): \(answer.text)"
        let verdicts = gate.taken.filter { $0 != .cancel }
        #expect(verdicts.count <= 1, story)
        #expect(!isBegun || gate.asked.contains(.approve), story)
        #expect(answer.runID == gate.runID, story)
        switch answer.status {
        case "completed": #expect(isBegun && !answer.isError && verdicts != [.reject], story)
        case "failed": #expect(!isBegun && verdicts != [.approve], story)
        case "cancelled": #expect(gate.asked.contains(.cancel), story)
        // An unknown outcome must be settled before it can end.
        case "cancelling": #expect(gate.asked.isSuperset(of: [.approve, .cancel]), story)
        case "waiting":
            // Undecided, or begun and cut off: then somebody is asked what became of it.
            let isUndecided = answer.approvalID == gate.approvalID
            #expect(isUndecided ? gate.taken.isEmpty : gate.asked.contains(.approve), story)
        default: Issue.record(story)
        }
    }
}

/// Where calls are made and decided, by whichever server.
private final class Desk {
    private static let atOnce = 8

    private enum Question {
        case call(String)
        case decision(String, Decision)
    }

    private(set) var sent: [String] = []
    private(set) var gates: [String: Gate] = [:]
    private var open: [(client: StdioClient, id: Int, question: Question)] = []

    static func arguments(_ mark: String) -> JSONObject { ["to": .string(mark), "text": "x"] }

    func step(_ clients: [StdioClient], _ random: inout SeededGenerator) throws {
        try collect()
        for client in clients {
            guard open.count(where: { $0.client === client }) < Self.atOnce else { continue }
            let known = gates.keys.sorted()
            guard let mark = known.randomElement(using: &random), Bool.random(using: &random)
            else {
                let mark = "m\(sent.count)"
                sent.append(mark)
                let id = try client.post("fix__send", Self.arguments(mark), requestID: mark)
                open.append((client, id, .call(mark)))
                continue
            }
            let decision = Decision.allCases.randomElement(using: &random) ?? .approve
            try decide(mark, decision, client)
        }
    }

    private func decide(_ mark: String, _ decision: Decision, _ client: StdioClient) throws {
        guard let gate = gates[mark] else { return }
        gates[mark]?.asked.insert(decision)
        let id: Int
        if decision == .cancel {
            id = try client.post("cancel_run", ["runId": .string(gate.runID)])
        } else {
            id = try client.post(
                decision.rawValue,
                [
                    "approvalId": .string(gate.approvalID), "approverId": "tester",
                    "authLevel": "session",
                ])
        }
        open.append((client, id, .decision(mark, decision)))
    }

    func collect() throws {
        var left: [(client: StdioClient, id: Int, question: Question)] = []
        for one in open {
            guard let message = try one.client.answerIfThere(to: one.id) else {
                left.append(one)
                continue
            }
            let answer = try message.toolAnswer
            switch one.question {
            case .call(let mark):
                guard let run = answer.runID, let approval = answer.approvalID else {
                    Issue.record("\(mark): \(answer.text)")
                    continue
                }
                gates[mark] = Gate(mark: mark, runID: run, approvalID: approval)
            case .decision(let mark, let decision):
                if !answer.isError { gates[mark]?.taken.append(decision) }
            }
        }
        open = left
    }

    /// Whether every answer has come.
    var isIdle: Bool { open.isEmpty }

    /// Its answers will never come.
    func forget(_ client: StdioClient) { open.removeAll { $0.client === client } }
}
