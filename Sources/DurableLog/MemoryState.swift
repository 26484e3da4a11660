/// Everything an in-memory store holds, as one value.
struct MemoryState {
    /// A conversation: its lease, and where its events stand.
    struct Conversation {
        /// 0 where no lease was ever taken.
        var epoch: Int64 = 0
        var holder: ProcessID?
        /// Indexes into `events`, oldest first.
        var events: [Int] = []
    }

    /// A process that has registered.
    struct Process {
        var isAlive = true
        let wake: AsyncStream<Void>.Continuation
    }

    let catalogue: TableCatalogue
    var events: [StoredEvent] = []
    var conversations: [ConversationID: Conversation] = [:]
    var tables: [String: MemoryTable] = [:]
    var inbox: [InboxItem] = []
    var lastInboxID: Int64 = 0
    var processes: [ProcessID: Process] = [:]
    var metadata: [String: [UInt8]] = [:]

    init(catalogue: TableCatalogue) {
        self.catalogue = catalogue
        for table in catalogue.tables { tables[table.name] = MemoryTable(table) }
    }

    func lease(of conversation: ConversationID) -> Lease? {
        guard let found = conversations[conversation], found.epoch > 0 else { return nil }
        return Lease(conversation: conversation, holder: found.holder, epoch: found.epoch)
    }

    // MARK: Committing

    mutating func commit(
        _ commit: Commit, by process: ProcessID
    ) throws(StoreError) -> CommitReceipt {
        for append in commit.appends { try check(append, by: process) }
        var consumed: Set<Int64> = []
        for item in commit.consumedInbox {
            guard inbox.contains(where: { $0.id == item }), consumed.insert(item).inserted else {
                throw .consumed(item)
            }
        }
        try apply(commit.writes)
        inbox.removeAll { consumed.contains($0.id) }
        return CommitReceipt(entries: commit.appends.map { perform($0, by: process) })
    }

    private func check(_ append: Append, by process: ProcessID) throws(StoreError) {
        let found = conversations[append.conversation] ?? Conversation()
        switch append.lease {
        case .keep, .release:
            guard found.epoch == append.epoch, found.holder == process else {
                throw .staleEpoch(
                    on: append.conversation, epoch: append.epoch,
                    lease: lease(of: append.conversation))
            }
        case .open, .openAndRelease:
            guard found.epoch == 0 else { throw .exists(append.conversation) }
        }
        let sequence = Int64(found.events.count)
        guard sequence == append.expectedSequence else {
            throw .conflict(
                on: append.conversation, expected: append.expectedSequence, actual: sequence)
        }
    }

    /// Makes the writes, or none of them.
    private mutating func apply(_ writes: [TableWrite]) throws(StoreError) {
        var undo: [(table: String, key: [UInt8], row: Row?)] = []
        for write in writes {
            let key = catalogue.key(of: write)
            let old = tables[write.table]?[key]
            let new: Row?
            switch write {
            case .put(let table, let row):
                new = catalogue[table].completed(row)
            case .insert(let table, let row):
                guard old == nil else {
                    for change in undo.reversed() { tables[change.table]?[change.key] = change.row }
                    throw .duplicateKey(in: table)
                }
                new = catalogue[table].completed(row)
            case .update(_, _, let set):
                new = old?.merging(set) { _, new in new }
            case .delete:
                new = nil
            }
            undo.append((write.table, key, old))
            tables[write.table]?[key] = new
        }
    }

    private mutating func perform(_ append: Append, by process: ProcessID) -> CommitReceipt.Entry {
        var found = conversations[append.conversation] ?? Conversation()
        for event in append.events {
            events.append(
                StoredEvent(
                    position: Int64(events.count) + 1, conversation: append.conversation,
                    sequence: Int64(found.events.count) + 1, epoch: append.epoch, event: event))
            found.events.append(events.count - 1)
        }
        var released = false
        switch append.lease {
        case .keep: break
        case .open: (found.epoch, found.holder) = (1, process)
        case .openAndRelease:
            (found.epoch, found.holder) = (1, nil)
            released = true
        case .release:
            released = !inbox.contains { $0.conversation == append.conversation }
            if released { found.holder = nil }
        }
        conversations[append.conversation] = found
        return CommitReceipt.Entry(
            lastPosition: append.events.isEmpty ? 0 : Int64(events.count), released: released)
    }

    // MARK: Leases and processes

    mutating func acquireLease(
        of conversation: ConversationID, for process: ProcessID, takingFrom deadHolder: ProcessID?
    ) -> LeaseGrant {
        var found = conversations[conversation] ?? Conversation()
        if let holder = found.holder {
            if holder == process { return .granted(epoch: found.epoch) }
            guard holder == deadHolder else { return .held(by: holder, epoch: found.epoch) }
        }
        found.epoch += 1
        found.holder = process
        conversations[conversation] = found
        return .granted(epoch: found.epoch)
    }
}
