import EpollServer
import Synchronization

/// Hands a client from one thread of a test to another.
///
/// Unchecked: sending touches only the socket and reading only the buffers, and a test does each
/// on one thread at a time.
final class SharedClient: @unchecked Sendable {
    private var kept: TestClient?

    init(_ client: TestClient) { kept = client }

    var client: TestClient {
        guard let kept else { preconditionFailure("The client was dropped.") }
        return kept
    }

    /// Closes the connection.
    func drop() { kept = nil }
}

/// Keeps a writer beyond its stream, as nobody should.
final class Kept: Sendable {
    private let state = Mutex<HTTPStreamWriter?>(nil)

    var writer: HTTPStreamWriter? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// A number that many count up.
final class Counter: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .sequentiallyConsistent) }

    func increment() { count.add(1, ordering: .sequentiallyConsistent) }
}

/// Something that happens once, and that tasks wait for.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Waits until it is open; cancelling the task does not help.
    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Waits until it is open or the task is cancelled; tells whether it was cancelled.
    func waitUnlessCancelled() async -> Bool {
        await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            open()
        }
        return Task.isCancelled
    }
}

/// A clock that stands still until it is set forward.
final class ManualHTTPClock: HTTPClock {
    private struct State {
        var now: Int64 = 1_000_000_000
        var wakes: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    func nanoseconds() -> Int64 { state.withLock { $0.now } }

    func secondsSince1970() -> Int64 { 784_111_777 }

    func whenAdvanced(_ wake: @escaping @Sendable () -> Void) {
        state.withLock { $0.wakes.append(wake) }
    }

    func advance(seconds: Int64) {
        let wakes = state.withLock { state in
            state.now += seconds * 1_000_000_000
            return state.wakes
        }
        for wake in wakes { wake() }
    }
}
