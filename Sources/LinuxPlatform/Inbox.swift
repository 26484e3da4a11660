internal import CLinux

/// A queue that any task sends into and one thread, or several, wait on.
///
/// `@unchecked Sendable`: `messages`, `waiting` and `isClosed` are touched under `mutex` alone.
package final class Inbox<Message: Sendable>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let arrived: UnsafeMutablePointer<pthread_cond_t>
    private var messages: [Message] = []
    private var waiting = 0
    private var isClosed = false

    /// An empty inbox.
    package init() {
        mutex = .allocate(capacity: 1)
        arrived = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(arrived, nil)
    }

    deinit {
        pthread_cond_destroy(arrived)
        pthread_mutex_destroy(mutex)
        arrived.deallocate()
        mutex.deallocate()
    }

    /// Queues a message and never blocks for long; gives false, and drops it, once closed.
    @discardableResult
    package func send(_ message: Message) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard !isClosed else { return false }
        messages.append(message)
        if waiting > 0 { pthread_cond_signal(arrived) }
        return true
    }

    /// Waits for messages and moves all of them, at most `limit`, into `batch`, oldest first.
    ///
    /// Gives false when the inbox is closed and everything sent before has been taken.
    package func takeAll(into batch: inout [Message], limit: Int) -> Bool {
        batch.removeAll(keepingCapacity: true)
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        guard waitForMessage() else { return false }
        if messages.count <= limit {
            swap(&batch, &messages)
        } else {
            batch.append(contentsOf: messages[..<limit])
            messages.removeFirst(limit)
        }
        return true
    }

    /// Waits until there is a message, and takes none; false when the inbox is closed and empty.
    package func wait() -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return waitForMessage()
    }

    /// Waits for one message; nil when the inbox is closed and empty.
    package func takeOne() -> Message? {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return waitForMessage() ? messages.removeFirst() : nil
    }

    /// Takes no more messages; those sent before are still given out.
    package func close() {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        pthread_cond_broadcast(arrived)
    }

    /// Holding the mutex, waits until there is a message; false where none will come.
    private func waitForMessage() -> Bool {
        while messages.isEmpty {
            if isClosed { return false }
            waiting += 1
            pthread_cond_wait(arrived, mutex)
            waiting -= 1
        }
        return true
    }
}
