internal import CLinux
import Synchronization

/// Writes to a descriptor from a thread of its own, one piece after the other, each whole.
package final class DescriptorWriter: Sendable {
    private struct Piece: Sendable {
        let bytes: [UInt8]
        /// Told whether the bytes were written.
        let done: CheckedContinuation<Bool, Never>?
    }

    /// How many bytes may wait before an offer is declined.
    package static let backlogBytes = 1 << 20

    private let pieces = Inbox<Piece>()
    private let queuedBytes = Atomic<Int>(0)

    /// Starts a thread that writes to a descriptor, which must stay open as long as it runs.
    ///
    /// Of the thread's name, 15 bytes are shown.
    /// Throws `.exhausted` if the system gives no more threads.
    package init(_ descriptor: Int32, threadName: String) throws(LinuxError) {
        let pieces = pieces
        try SystemThread.start(named: threadName) { [weak self] in
            SystemThread.blockBrokenPipeSignal()
            while let piece = pieces.takeOne() {
                let written = Self.writeAll(piece.bytes, to: descriptor)
                self?.queuedBytes.subtract(piece.bytes.count, ordering: .relaxed)
                if !written { pieces.close() }
                piece.done?.resume(returning: written)
            }
        }
    }

    deinit { pieces.close() }

    /// Writes these bytes after all that came before; false if the other end has gone.
    ///
    /// Suspends until the kernel has taken them. Cancellation does not stop a write.
    package func write(_ bytes: [UInt8]) async -> Bool {
        await withCheckedContinuation { done in
            if !enqueue(Piece(bytes: bytes, done: done)) { done.resume(returning: false) }
        }
    }

    /// Queues these bytes unless too many wait already or the other end has gone.
    package func offer(_ bytes: [UInt8]) {
        guard queuedBytes.load(ordering: .relaxed) < Self.backlogBytes else { return }
        _ = enqueue(Piece(bytes: bytes, done: nil))
    }

    /// Takes no more; what was queued is still written.
    package func close() { pieces.close() }

    private func enqueue(_ piece: Piece) -> Bool {
        queuedBytes.add(piece.bytes.count, ordering: .relaxed)
        if pieces.send(piece) { return true }
        queuedBytes.subtract(piece.bytes.count, ordering: .relaxed)
        return false
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = CLinux.write(
                    descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if !mayRetry(descriptor, events: Int16(POLLOUT)) {
                    return false
                }
            }
            return true
        }
    }

    /// After a call that failed: whether to make it again, having waited where that is needed.
    ///
    /// Whoever shares our end of a pipe may have made it non-blocking.
    static func mayRetry(_ descriptor: Int32, events: Int16) -> Bool {
        switch durable_errno() {
        case EINTR: return true
        case EAGAIN:
            var waited = pollfd(fd: descriptor, events: events, revents: 0)
            return poll(&waited, 1, -1) > 0 || durable_errno() == EINTR
        default: return false
        }
    }
}
