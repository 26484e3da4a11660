internal import DurableLog
internal import LinuxPlatform

/// A few threads that read, each with a read-only connection of its own.
///
/// Reads are short, so that no checkpoint waits for them long.
final class ReaderPool: Sendable {
    private typealias Job = @Sendable (inout Reader) -> Void

    private let inbox = Inbox<Job>()

    init(path: String, count: Int) throws(StoreError) {
        precondition((1...16).contains(count), "1 to 16 readers.")
        for number in 1...count {
            do throws(LinuxError) {
                try SystemThread.start(named: "durable-read-\(number)") { [inbox] in
                    var reader = Reader(path: path)
                    while let job = inbox.takeOne() { job(&reader) }
                }
            } catch {
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

    /// Ends the threads when what is queued is done.
    func close() { inbox.close() }
}
