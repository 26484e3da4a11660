public import DurableEngine
internal import Synchronization

/// A clock that stands still until a test moves it.
public final class ManualClock: EngineClock {
    private struct State {
        var now: Int64
        var next = 0
        var sleepers: [Int: (until: Int64, wake: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state: Mutex<State>

    /// A clock that shows this many milliseconds since 1970.
    public init(at milliseconds: Int64 = 1_800_000_000_000) {
        state = Mutex(State(now: milliseconds))
    }

    /// Milliseconds since 1970.
    public func now() -> Int64 { state.withLock { $0.now } }

    /// How many tasks sleep on it.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// Suspends until the clock has been moved so far.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, at once.
    public func sleep(for duration: Duration) async throws {
        let token = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver: Bool? = state.withLock { state in
                    if Task.isCancelled { return nil }
                    let until = state.now + duration.milliseconds
                    if until <= state.now { return true }
                    state.sleepers[token] = (until, continuation)
                    return false
                }
                switch isOver {
                case true?: continuation.resume()
                case nil: continuation.resume(throwing: CancellationError())
                case false?: break
                }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: token) }
            sleeper?.wake.resume(throwing: CancellationError())
        }
    }

    /// How many times a task has begun to sleep on it.
    public var sleepCount: Int { state.withLock { $0.next } }

    /// Moves it on, and wakes whom that concerns.
    public func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now += duration.milliseconds
            let due = state.sleepers.filter { $0.value.until <= state.now }
            for token in due.keys { state.sleepers[token] = nil }
            return due.values.sorted { $0.until < $1.until }
        }
        for sleeper in due { sleeper.wake.resume() }
    }

    /// Moves it on in small strides, letting other tasks run between them, until `body` returns.
    public func running<Value: Sendable>(
        by stride: Duration = .milliseconds(50),
        _ body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                while !Task.isCancelled {
                    for _ in 0..<20 { await Task.yield() }
                    self.advance(by: stride)
                }
                return nil
            }
            defer { group.cancelAll() }
            while let next = try await group.next() {
                if let value = next { return value }
            }
            throw CancellationError()
        }
    }
}
