import MCPProtocol
import Synchronization

/// The requests of one stdio connection that are not answered yet.
final class RequestTable: Sendable {
    /// Why a request is not taken.
    enum Refused: Error {
        /// A request of the same id is in flight.
        case duplicate
        /// As many requests as may be are in flight.
        case full
    }

    private struct State {
        var entries: [RequestID: Entry] = [:]
        var slots = 0
        var nextTicket = 0
        var isClosing = false
    }

    private struct Entry {
        let ticket: Int
        let cancel: @Sendable () -> Void
    }

    private let limit: Int
    private let state = Mutex(State())
    private let emptied = AsyncStream<Void>.makeStream()

    init(limit: Int) { self.limit = limit }

    /// Takes a slot for a request, or says why not.
    func admit(_ id: RequestID) throws(Refused) {
        try state.withLock { (state) throws(Refused) in
            if state.entries[id] != nil { throw .duplicate }
            if state.slots >= limit { throw .full }
            state.slots += 1
        }
    }

    /// Notes what cancels an admitted request; gives its ticket.
    func register(_ id: RequestID, cancel: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.nextTicket += 1
            state.entries[id] = Entry(ticket: state.nextTicket, cancel: cancel)
            return state.nextTicket
        }
    }

    /// Ends a request; whether its answer may be sent, which it may not once it is cancelled.
    func settle(_ id: RequestID, ticket: Int) -> Bool {
        state.withLock { state in
            guard state.entries[id]?.ticket == ticket else { return false }
            state.entries[id] = nil
            return true
        }
    }

    /// Gives back the slot of a request whose answer was written, or will not be.
    func release() {
        let isLast = state.withLock { state in
            state.slots -= 1
            return state.isClosing && state.slots == 0
        }
        if isLast { emptied.continuation.finish() }
    }

    /// Cancels a request; one that is unknown or answered is left alone.
    func cancel(_ id: RequestID) {
        let removed = state.withLock { $0.entries.removeValue(forKey: id) }
        removed?.cancel()
    }

    /// Cancels all requests.
    func cancelAll() {
        let entries = state.withLock { state in
            defer { state.entries = [:] }
            return state.entries
        }
        for entry in entries.values { entry.cancel() }
    }

    /// Waits until all slots are free, with no request to come any more; or for cancellation.
    func drained() async {
        let isEmpty = state.withLock { state in
            state.isClosing = true
            return state.slots == 0
        }
        if isEmpty { return }
        for await _ in emptied.stream {}
    }
}
