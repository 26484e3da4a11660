import Foundation
import OrderedJSON
import Testing

/// A call whose server is killed at one moment of it.
struct CrashCase: CustomTestStringConvertible, Sendable {
    enum Moment: String, CaseIterable {
        case beforeIntent = "before-intent"
        case afterIntent = "after-intent"
        case duringBody = "during the body"
        case afterBody = "after-body"
        case afterResult = "after-result"

        /// The failpoint of the server; nil where the test itself kills.
        var failpoint: String? { self == .duringBody ? nil : rawValue }
    }

    enum Kind: String, CaseIterable {
        case pure, idempotent, external

        var tool: String {
            switch self {
            case .pure: "lookup"
            case .idempotent: "put"
            case .external: "send"
            }
        }

        var arguments: JSONObject {
            switch self {
            case .pure: ["thing": "grass"]
            case .idempotent: ["key": "colour", "value": "green"]
            case .external: ["to": "somebody", "text": "hello"]
            }
        }
    }

    enum Way: String, CaseIterable { case direct, script }

    let kind: Kind
    let moment: Moment
    let way: Way

    static let all = Kind.allCases.flatMap { kind in
        Moment.allCases.flatMap { moment in
            Way.allCases.map { CrashCase(kind: kind, moment: moment, way: $0) }
        }
    }

    var testDescription: String { "\(kind.rawValue), \(moment.rawValue), \(way.rawValue)" }

    var arguments: JSONObject {
        var arguments = kind.arguments
        if moment == .duringBody { arguments["milliseconds"] = 1000 }
        return arguments
    }

    /// How often the tool is begun in all, a person's decision not counted.
    var starts: Int {
        switch (kind, moment) {
        case (.external, .afterIntent): 0
        case (.external, _), (_, .beforeIntent), (_, .afterIntent), (_, .afterResult): 1
        case (_, .duringBody), (_, .afterBody): 2
        }
    }

    /// Whether nobody can know what became of the call.
    var isUnknown: Bool {
        guard kind == .external else { return false }
        return switch moment {
        case .beforeIntent, .afterResult: false
        case .afterIntent, .duringBody, .afterBody: true
        }
    }
}

@Suite(
    "A server killed in a call", .tags(.process),
    // Each case starts several processes, and there may be few cores.
    .serialized, .timeLimit(.minutes(2)))
struct EffectCrashTests {
    private static let tools: JSONValue = [
        "lookup": ["effect": "pure"],
        "put": ["effect": "idempotent"],
        "send": ["effect": "external", "approval": false],
    ]

    @Test("what is left is what its kind allows", arguments: CrashCase.all)
    func crash(_ one: CrashCase) async throws {
        let work = try Workplace()
        try work.configure(servers: ["fix": work.fixture(tools: Self.tools)])
        let failpoint = one.moment.failpoint.map { "\($0):fix__\(one.kind.tool)" }
        let first = try await work.connect(failpoint: failpoint)
        try send(one, to: first)
        if one.moment == .duringBody {
            try await eventually("the body's start") {
                try work.ledger().started(one.kind.tool) == 1
            }
            try await first.program.kill()
        }
        let ending = try await first.program.awaitEnd()
        #expect(ending == .killed, "\(first.program)")

        let second = try await work.connect()
        var answer = try await second.answer(to: send(one, to: second)).toolAnswer
        if one.way == .script {
            #expect(!answer.isError, "\(answer.text)")
            answer = try await second.settled(try #require(answer.runID))
        }
        let before = try work.ledger()
        #expect(before.started(one.kind.tool) == one.starts)
        if one.isUnknown {
            #expect(answer.status == "waiting", "\(answer.text)")
            answer = try await decide(one, answer, work, second)
        }
        #expect(!answer.isError, "\(answer.text)")
        #expect(answer.status == "completed", "\(answer.text)")
        try expectLedger(of: one, work)
        try second.program.closeInput()
        let end = try await second.program.awaitEnd()
        #expect(end == .init(code: 0, isSignal: false), "\(second.program)")
        try await work.expectSoundLog()
    }

    /// Asks for the work of a case; the same each time.
    @discardableResult
    private func send(_ one: CrashCase, to client: StdioClient) throws -> Int {
        let tool = "fix__\(one.kind.tool)"
        switch one.way {
        case .direct: return try client.post(tool, one.arguments, requestID: "the-work")
        case .script:
            let script: JSONValue = [
                "steps": [
                    ["tool": .string(tool), "arguments": .object(one.arguments)],
                    ["finish": "All is done."],
                ]
            ]
            return try client.post("start_run", ["script": script], requestID: "the-work")
        }
    }

    /// What a person finds out: an external call that was never begun is run, another is settled.
    private func decide(
        _ one: CrashCase, _ answer: ToolAnswer, _ work: Workplace, _ client: StdioClient
    ) async throws -> ToolAnswer {
        let approval = try #require(answer.approvalID)
        let listed = try await work.json("approvals", "list")["approvals"]?.arrayValue ?? []
        #expect(listed.map { $0["approvalId"]?.stringValue } == [approval])
        #expect(listed.first?["purpose"] == "reconcile")
        let decision =
            one.moment == .afterIntent
            ? try await work.run("reject", approval)
            : try await work.run("approve", approval, "--output", #"{"delivered":true}"#)
        #expect(decision.code == 0, "\(decision.complaints)")
        return try await client.settled(try #require(answer.runID))
    }

    private func expectLedger(of one: CrashCase, _ work: Workplace) throws {
        let ledger = try work.ledger()
        let starts = one.kind == .external ? 1 : one.starts
        #expect(ledger.started(one.kind.tool) == starts)
        #expect(ledger.done(one.kind.tool) <= starts)
        if one.moment != .duringBody { #expect(ledger.done(one.kind.tool) == starts) }
        // A pure call that left no trace is a new call when it is asked for again.
        guard one.kind != .pure || one.way == .script else { return }
        let keys = ledger.keys(one.kind.tool)
        #expect(keys.count == 1 && !keys.contains(nil), "\(keys)")
    }
}
