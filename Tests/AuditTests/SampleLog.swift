import DurableEngine
import DurableLog
import DurableSecurity
import OrderedJSON
import Synchronization

/// Counts instead of guessing, so that every run of a test is the same.
final class CountingIdentifiers: IdentifierSource {
    private let count = Mutex(0)

    func next() -> String {
        let number = count.withLock { count in
            count += 1
            return String(count)
        }
        return String(repeating: "a", count: 26 - number.count) + number
    }

    func jitter() -> Double { 1 }
}

/// Every look at it is a second after the one before; sleeping takes no time.
final class SteppingClock: EngineClock {
    static let start: Int64 = 1_700_000_000_000
    private let time = Mutex(start)

    func now() -> Int64 {
        time.withLock { time in
            time += 1000
            return time
        }
    }

    func sleep(for duration: Duration) async throws {
        try Task.checkCancellation()
        await Task.yield()
    }
}

/// One tool, which pays.
struct PayTool: EngineTool, ToolSource {
    var facts: ToolFacts {
        ToolFacts(name: "bank__pay", effect: .external, approvalReason: "It moves money.")
    }

    func call(_ invocation: ToolInvocation) async -> ToolOutcome {
        .result(["content": [["type": "text", "text": "sent-text"]]], isError: false)
    }

    func tool(named name: String) async -> ToolLookup {
        name == facts.name ? .found(self) : .absent("There is no '\(name)'.")
    }

    func has(_ upstream: ToolFacts.Upstream) -> Bool { true }
}

/// A log as a server leaves it: four conversations of two principals, eleven runs.
struct SampleLog {
    static let alice = Principal(id: "os:alice", roles: [.use], authLevel: .session)
    static let bob = Principal(id: "bob", roles: [.use], authLevel: .session)
    static let admin = Principal(id: "os:root", roles: [.admin], authLevel: .session)

    let store: EditedStore
    /// A run of Alice's that paid, after Root approved it.
    let paid: RunID
    /// A run of Bob's whose call waits for an approval; beside it waits a question of a script.
    let waiting: RunID

    init() async throws {
        let memory = MemoryEventStore(
            tables: EngineTables.all, processID: ProcessID(rawValue: "prc_test"))
        store = EditedStore(memory)
        (paid, waiting) = try await Self.fill(memory)
    }

    /// Has an engine write the log into an empty store.
    @discardableResult
    static func fill(_ store: any EventStore) async throws -> (paid: RunID, waiting: RunID) {
        _ = try await store.setMetadataIfAbsent("secret", [UInt8](repeating: 7, count: 32))
        let engine = try await Engine.open(
            store: store, tools: PayTool(), clock: SteppingClock(),
            identifiers: CountingIdentifiers())
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await engine.run() }
            let ids = try await Self.fill(engine)
            await engine.stop()
            try await group.waitForAll()
            return ids
        }
    }

    private static func fill(_ engine: Engine) async throws -> (RunID, RunID) {
        let call = Work.call(tool: "bank__pay", arguments: ["note": "argument-text", "amount": 5])
        let first = try await engine.call(RunRequest(work: call), by: alice)
        if let approval = first.approval {
            _ = try await engine.answer(
                ApprovalAnswer(
                    approvalID: approval.request.approvalID, approves: true, approver: admin))
        }
        _ = try await engine.wait(
            for: first.id, visibleTo: alice, until: nil, since: .waiting)
        let second = try await engine.call(RunRequest(work: call), by: bob)
        let text = try Script(["steps": [["assistant": "message-text"], ["finish": "final-text"]]])
        let third = try await submit(text, in: nil, engine, by: alice)
        for _ in 0..<3 { _ = try await submit(text, in: third, engine, by: alice) }
        let fourth = try await submit(text, in: nil, engine, by: bob)
        for _ in 0..<4 { _ = try await submit(text, in: fourth, engine, by: bob) }
        let question = try Script(["steps": [["approval": "question-text"]]])
        _ = try await submit(question, in: nil, engine, by: bob)
        return (first.id, second.id)
    }

    private static func submit(
        _ script: Script, in conversation: ConversationID?, _ engine: Engine,
        by principal: Principal
    ) async throws -> ConversationID {
        let id = try await engine.submit(
            RunRequest(work: .script(script), conversationID: conversation), by: principal)
        let run = try await engine.wait(for: id, visibleTo: principal, until: nil, since: nil)
        return run.conversationID
    }
}
