import DurableLog
import Synchronization

/// A store whose rows can be changed behind its back, as by somebody with a database tool.
final class EditedStore: EventStore {
    let base: MemoryEventStore
    private let edits: Mutex<[StoredEvent]?> = Mutex(nil)

    init(_ base: MemoryEventStore) { self.base = base }

    /// Replaces the log by what `change` makes of it; positions stay in order.
    func edit(_ change: (inout [StoredEvent]) -> Void) throws {
        var events = try edits.withLock { $0 } ?? base.events(after: 0, limit: 10_000)
        change(&events)
        let changed = events
        edits.withLock { $0 = changed }
    }

    func events(after position: Int64, limit: Int) throws(StoreError) -> [StoredEvent] {
        guard let events = edits.withLock({ $0 }) else {
            return try base.events(after: position, limit: limit)
        }
        return Array(events.filter { $0.position > position }.prefix(limit))
    }

    func events(
        of conversation: ConversationID, after sequence: Int64, limit: Int
    ) throws(StoreError) -> [StoredEvent] {
        guard let events = edits.withLock({ $0 }) else {
            return try base.events(of: conversation, after: sequence, limit: limit)
        }
        let rows = events.filter { $0.conversation == conversation && $0.sequence > sequence }
            .sorted { $0.sequence < $1.sequence }
        return Array(rows.prefix(limit))
    }

    func commit(_ commit: Commit) throws(StoreError) -> CommitReceipt { try base.commit(commit) }
    func rows(_ query: TableQuery) throws(StoreError) -> [Row] { try base.rows(query) }

    func acquireLease(
        of conversation: ConversationID, for process: ProcessID, takingFrom dead: ProcessID?
    ) throws(StoreError) -> LeaseGrant {
        try base.acquireLease(of: conversation, for: process, takingFrom: dead)
    }

    func lease(of conversation: ConversationID) throws(StoreError) -> Lease? {
        try base.lease(of: conversation)
    }

    func leases(heldBy process: ProcessID, limit: Int) throws(StoreError) -> [Lease] {
        try base.leases(heldBy: process, limit: limit)
    }

    func enqueue(_ item: InboxItem) throws(StoreError) -> (id: Int64, lease: Lease?) {
        try base.enqueue(item)
    }

    func inbox(of conversation: ConversationID) throws(StoreError) -> [InboxItem] {
        try base.inbox(of: conversation)
    }

    func unownedInboxes(limit: Int) throws(StoreError) -> [ConversationID] {
        try base.unownedInboxes(limit: limit)
    }

    func processes() throws(StoreError) -> [ProcessID] { try base.processes() }
    func isAlive(_ process: ProcessID) -> Bool { base.isAlive(process) }
    func forget(_ process: ProcessID) throws(StoreError) { try base.forget(process) }
    var processID: ProcessID { base.processID }
    func wake(_ process: ProcessID) { base.wake(process) }
    var wakes: AsyncStream<Void> { base.wakes }
    func metadata(_ name: String) throws(StoreError) -> [UInt8]? { try base.metadata(name) }

    func setMetadataIfAbsent(_ name: String, _ value: [UInt8]) throws(StoreError) -> [UInt8] {
        try base.setMetadataIfAbsent(name, value)
    }

    func close() { base.close() }
}
