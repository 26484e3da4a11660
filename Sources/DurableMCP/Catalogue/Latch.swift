internal import Synchronization

/// Something that happens once, and that any number of tasks may wait for.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var next = 0
        var waiting: [Int: AsyncStream<Never>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Whether it has happened.
    var isOpen: Bool { state.withLock(\.isOpen) }

    /// Lets everybody go on who waits, now or later.
    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.finish() }
    }

    /// Waits until it has happened, or the task is cancelled.
    func wait() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        let token = state.withLock { state -> Int? in
            guard !state.isOpen else { return nil }
            state.next += 1
            state.waiting[state.next] = continuation
            return state.next
        }
        guard let token else { return }
        for await _ in stream {}
        state.withLock { $0.waiting[token] = nil }
    }
}
