internal import Synchronization

/// A value that is set once and that any number of tasks can wait for.
final class OneShot<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var lastWaiter = 0
        var waiters: [Int: CheckedContinuation<Value?, Never>] = [:]
    }

    private let state = Mutex(State())

    /// The value, if it is there already.
    var current: Value? { state.withLock(\.value) }

    /// Sets the value and wakes everyone; only the first call has an effect.
    func fulfil(_ value: Value) {
        let waiters = state.withLock { state -> [CheckedContinuation<Value?, Never>] in
            guard state.value == nil else { return [] }
            state.value = value
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume(returning: value) }
    }

    /// The value as soon as it is there, or nil as soon as the calling task is cancelled.
    func value() async -> Value? {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = Task.isCancelled
                let resume = state.withLock { state -> Bool in
                    if state.value != nil || isCancelled { return true }
                    state.waiters[waiter] = continuation
                    return false
                }
                if resume { continuation.resume(returning: current) }
            }
        } onCancel: {
            // Cancelled before the waiter was entered, it finds that out by itself.
            state.withLock { $0.waiters.removeValue(forKey: waiter) }?.resume(returning: nil)
        }
    }

    /// The value, or nil once `timeout` has passed or the calling task is cancelled.
    func value(within timeout: Duration, of time: ClientTime) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await self.value() }
            group.addTask {
                // Cancelled means that the value is there: either way there is none from here.
                try? await time.sleep(timeout)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
