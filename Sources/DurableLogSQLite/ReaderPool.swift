internal import DurableLog
internal import LinuxPlatform
internal import Synchronization

/// A few threads that read, each with a read-only connection of its own.
///
/// Reads are short, so that no checkpoint waits for them long.
final class ReaderPool: Sendable {
    private typealias Job = @Sendable (inout Reader) -> Void

    private let inbox = Inbox<Job>()
    private let ending = Ended()

    /// Counts the threads that still run; apart, so that they do not keep the pool alive.
    private final class Ended: Sendable {
        private struct State {
            var threads = 0
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state = Mutex(State())

        func start() { state.withLock { $0.threads += 1 } }

        func end() {
            let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                state.threads -= 1
                guard state.threads == 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in waiting { continuation.resume() }
        }

        func wait() async {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.threads > 0 { state.waiting.append(continuation) }
                    return state.threads == 0
                }
                if isOver { continuation.resume() }
            }
        }
    }

    init(path: String, count: Int) throws(StoreError) {
        precondition((1...16).contains(count), "1 to 16 readers.")
        for number in 1...count {
            ending.start()
            do throws(LinuxError) {
                try SystemThread.start(named: "durable-read-\(number)") { [inbox, ending] in
                    Self.serve(inbox, path: path)
                    ending.end()
                }
            } catch {
                ending.end()
                inbox.close()
                throw StoreError(code: .unavailable, message: error.message, cause: error)
            }
        }
    }

    deinit { inbox.close() }

    /// Runs `body` on a reading thread, and suspends until it is done.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (inout Reader) throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, StoreError>, Never>) in
            let isQueued = inbox.send { reader in
                continuation.resume(
                    returning: Result { () throws(StoreError) in try body(&reader) })
            }
            if !isQueued { continuation.resume(returning: .failure(.closed())) }
        }
        return try result.get()
    }

    /// The body of a thread; its connection is closed when this returns.
    private static func serve(_ inbox: Inbox<Job>, path: String) {
        var reader = Reader(path: path)
        while let job = inbox.takeOne() { job(&reader) }
    }

    /// Takes no more reads; the threads end when what is queued is done.
    func stop() { inbox.close() }

    /// Stops, and waits until every connection is closed.
    func close() async {
        stop()
        await ending.wait()
    }
}
