import DurableEngine
import DurableLog
import DurableSecurity
import DurableTesting
import OrderedJSON
import Synchronization

/// One or several engines over one shared memory, as several processes on one store.
final class EngineBench: Sendable {
    let backing = MemoryBacking(tables: EngineTables.all)
    let clock = ManualClock()
    let log = Mutex<[String]>([])

    struct Process {
        let engine: Engine
        let store: any EventStore
        let memory: MemoryEventStore
    }

    func process(
        _ name: String, _ tools: ScriptedTools, seed: UInt64, runsWork: Bool = true,
        configure: (inout EngineConfiguration) -> Void = { _ in }
    ) async throws -> Process {
        let store = MemoryEventStore(backing: backing, processID: ProcessID(rawValue: name))
        var configuration = EngineConfiguration()
        configuration.runsWork = runsWork
        configuration.log = { line in self.log.withLock { $0.append("\(name): \(line)") } }
        configure(&configuration)
        let engine = try await Engine.open(
            store: store, tools: tools, clock: clock,
            identifiers: SeededIdentifiers(seed: seed), configuration: configuration)
        return Process(engine: engine, store: store, memory: store)
    }

    /// Runs `body` with the engine at work and time going on.
    func running<Value: Sendable>(
        _ engines: [Engine], _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for engine in engines { group.addTask { await engine.run() } }
            defer { group.cancelAll() }
            return try await clock.running(body)
        }
    }

    /// The types of all events, in order.
    func eventTypes(_ store: any EventStore) async throws -> [String] {
        try await store.events(after: 0, limit: 10_000).map(\.event.type)
    }
}

extension Principal {
    static let alice = Principal(id: "alice", roles: [.use, .operate], authLevel: .session)
    static let bob = Principal(id: "bob", roles: [.use, .operate], authLevel: .session)
    static let approver = Principal(id: "carol", roles: [.approve], authLevel: .session)
    static let strongApprover = Principal(
        id: "dora", roles: [.approve], authLevel: .devicePasscode)
}

extension RunRequest {
    static func script(_ text: String, requestID: String? = nil) throws -> RunRequest {
        let value = try JSONValue(parsing: text)
        let script = try Script(value.objectValue ?? JSONObject())
        return RunRequest(work: .script(script), requestID: requestID)
    }

    static func call(
        _ tool: String, _ arguments: JSONObject = [:], requestID: String? = nil
    ) -> RunRequest {
        RunRequest(work: .call(tool: tool, arguments: arguments), requestID: requestID)
    }
}

/// A door that tool bodies wait at until a test opens it.
final class Door: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var arrivals = 0
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, watchers) = state.withLock { state in
                state.arrivals += 1
                let watchers = state.watchers
                state.watchers = []
                if !state.isOpen { state.waiting.append(continuation) }
                return (state.isOpen, watchers)
            }
            for watcher in watchers { watcher.resume() }
            if isOpen { continuation.resume() }
        }
    }

    /// Returns once somebody has come to the door.
    func arrival() async {
        await withCheckedContinuation { continuation in
            let hasArrived = state.withLock { state in
                if state.arrivals == 0 { state.watchers.append(continuation) }
                return state.arrivals > 0
            }
            if hasArrived { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
        for one in waiting { one.resume() }
    }
}
