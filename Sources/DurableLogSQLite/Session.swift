internal import DurableLog

/// The open read-write connection with its statements: what the writer loses and makes anew
/// after a commit of unknown outcome.
///
/// Its methods run inside the writer's transaction.
final class Session {
    /// A conversation as it stands.
    struct Conversation {
        var id: Int64
        var epoch: Int64
        var holder: String?
    }

    let connection: Connection
    let statements: WriterStatements
    let process: ProcessID
    private var tables: [String: TableStatements] = [:]
    private var types: [EventType: Int64] = [:]

    private struct EventType: Hashable {
        var name: String
        var version: Int
    }

    /// The most event types remembered; programs have a few dozen.
    private static let typeLimit = 1_000

    init(
        _ connection: Connection, catalogue: TableCatalogue, process: ProcessID
    ) throws(StoreError) {
        self.connection = connection
        self.process = process
        statements = try WriterStatements(connection)
        for table in catalogue.tables {
            tables[table.name] = TableStatements(table, on: connection)
        }
    }

    /// Forgets what a rollback may have taken back.
    func forgetCached() { types.removeAll() }

    // MARK: Committing

    /// Does what a commit asks, or changes nothing.
    ///
    /// - Returns: The receipt, and the newest event if there is one.
    func perform(_ commit: Commit) throws(StoreError) -> (CommitReceipt, newest: Witness?) {
        var conversations: [Conversation?] = []
        for append in commit.appends { conversations.append(try check(append)) }
        for (index, item) in commit.consumedInbox.enumerated() {
            try statements.inboxItem.bind(1, item)
            let isThere = try statements.inboxItem.first { _ in true } ?? false
            if !isThere || commit.consumedInbox[..<index].contains(item) { throw .consumed(item) }
        }
        try perform(commit.writes)
        for item in commit.consumedInbox {
            try statements.deleteInboxItem.bind(1, item)
            try statements.deleteInboxItem.run()
        }
        var entries: [CommitReceipt.Entry] = []
        entries.reserveCapacity(commit.appends.count)
        var newest: Witness?
        for (append, conversation) in zip(commit.appends, conversations) {
            let entry = try perform(append, on: conversation)
            entries.append(entry)
            if let last = append.events.last {
                newest = .event(position: entry.lastPosition, digest: last.digest)
            }
        }
        return (CommitReceipt(entries: entries), newest)
    }

    private func check(_ append: Append) throws(StoreError) -> Conversation? {
        let found = try conversation(append.conversation)
        switch append.lease {
        case .keep, .release:
            guard let found, found.epoch == append.epoch, found.holder == process.rawValue else {
                throw .staleEpoch(
                    on: append.conversation, epoch: append.epoch,
                    lease: lease(append.conversation, found))
            }
        case .open, .openAndRelease:
            guard (found?.epoch ?? 0) == 0 else { throw .exists(append.conversation) }
        }
        let sequence = try lastSequence(of: found)
        guard sequence == append.expectedSequence else {
            throw .conflict(
                on: append.conversation, expected: append.expectedSequence, actual: sequence)
        }
        return found
    }

    private func perform(_ writes: [TableWrite]) throws(StoreError) {
        // Only a failing insert can stop halfway, and as the first write it has nothing to undo.
        let needsSavepoint = writes.dropFirst().contains {
            if case .insert = $0 { true } else { false }
        }
        if needsSavepoint { try statements.savepoint.run() }
        for write in writes {
            guard let table = tables[write.table] else {
                preconditionFailure("Table '\(write.table)' is not declared.")
            }
            switch write {
            case .put(_, let row): try table.put(row)
            case .insert(_, let row):
                guard try table.insert(row) else {
                    if needsSavepoint {
                        try statements.rollbackToSavepoint.run()
                        try statements.releaseSavepoint.run()
                    }
                    throw .duplicateKey(in: write.table)
                }
            case .update(_, let key, let set): try table.update(key, set: set)
            case .delete(_, let key): try table.delete(key)
            }
        }
        if needsSavepoint { try statements.releaseSavepoint.run() }
    }

    private func perform(
        _ append: Append, on found: Conversation?
    ) throws(StoreError) -> CommitReceipt.Entry {
        var released = false
        let id: Int64
        switch append.lease {
        case .keep, .release:
            guard let found else { preconditionFailure("Checked before.") }
            id = found.id
            if append.lease == .release, try !hasInbox(id) {
                try setLease(of: id, epoch: found.epoch, holder: nil)
                released = true
            }
        case .open, .openAndRelease:
            released = append.lease == .openAndRelease(process)
            let holder = released ? nil : process.rawValue
            if let found {
                id = found.id
                try setLease(of: id, epoch: 1, holder: holder)
            } else {
                id = try insertConversation(append.conversation, epoch: 1, holder: holder)
            }
        }
        var sequence = append.expectedSequence
        for event in append.events {
            sequence += 1
            try insert(event, conversation: id, sequence: sequence, epoch: append.epoch)
        }
        return CommitReceipt.Entry(
            lastPosition: append.events.isEmpty ? 0 : connection.lastInsertedRow,
            released: released)
    }

    private func insert(
        _ event: NewEvent, conversation: Int64, sequence: Int64, epoch: Int64
    ) throws(StoreError) {
        let type = try type(event)
        let insert = statements.insertEvent
        try insert.bind(1, conversation)
        try insert.bind(2, sequence)
        try insert.bind(3, epoch)
        try insert.bind(4, type)
        try insert.bind(5, event.time)
        try insert.bind(6, event.payload)
        try insert.bind(7, event.digest)
        try insert.run()
    }

    private func type(_ event: NewEvent) throws(StoreError) -> Int64 {
        let key = EventType(name: event.type, version: event.version)
        if let known = types[key] { return known }
        try statements.type.bind(1, event.type)
        try statements.type.bind(2, Int64(event.version))
        var id = try statements.type.first { $0.integer(0) }
        if id == nil {
            try statements.insertType.bind(1, event.type)
            try statements.insertType.bind(2, Int64(event.version))
            try statements.insertType.run()
            id = connection.lastInsertedRow
        }
        if types.count >= Self.typeLimit { types.removeAll() }
        types[key] = id
        return id ?? 0
    }

    // MARK: Leases and inbox

    func acquireLease(
        of conversation: ConversationID, for process: ProcessID, takingFrom deadHolder: ProcessID?
    ) throws(StoreError) -> LeaseGrant {
        guard let found = try self.conversation(conversation) else {
            _ = try insertConversation(conversation, epoch: 1, holder: process.rawValue)
            return .granted(epoch: 1)
        }
        if let holder = found.holder {
            if holder == process.rawValue { return .granted(epoch: found.epoch) }
            guard holder == deadHolder?.rawValue else {
                return .held(by: ProcessID(rawValue: holder), epoch: found.epoch)
            }
        }
        try setLease(of: found.id, epoch: found.epoch + 1, holder: process.rawValue)
        return .granted(epoch: found.epoch + 1)
    }

    func enqueue(_ item: InboxItem) throws(StoreError) -> (id: Int64, lease: Lease?) {
        let found = try conversation(item.conversation)
        let id: Int64
        if let found {
            id = found.id
        } else {
            id = try insertConversation(item.conversation, epoch: 0, holder: nil)
        }
        try statements.insertInboxItem.bind(1, id)
        try statements.insertInboxItem.bind(2, item.sender.rawValue)
        try statements.insertInboxItem.bind(3, item.time)
        try statements.insertInboxItem.bind(4, item.payload)
        try statements.insertInboxItem.run()
        return (connection.lastInsertedRow, lease(item.conversation, found))
    }

    private func lease(_ conversation: ConversationID, _ found: Conversation?) -> Lease? {
        guard let found, found.epoch > 0 else { return nil }
        return Lease(
            conversation: conversation, holder: found.holder.map(ProcessID.init(rawValue:)),
            epoch: found.epoch)
    }

    private func conversation(_ id: ConversationID) throws(StoreError) -> Conversation? {
        try statements.conversation.bind(1, id.rawValue)
        return try statements.conversation.first { row in
            Conversation(
                id: row.integer(0), epoch: row.integer(1),
                holder: row.isNull(2) ? nil : row.text(2))
        }
    }

    private func insertConversation(
        _ id: ConversationID, epoch: Int64, holder: String?
    ) throws(StoreError) -> Int64 {
        let insert = statements.insertConversation
        try insert.bind(1, id.rawValue)
        try insert.bind(2, epoch)
        if let holder { try insert.bind(3, holder) } else { try insert.bindNull(3) }
        try insert.run()
        return connection.lastInsertedRow
    }

    private func setLease(of id: Int64, epoch: Int64, holder: String?) throws(StoreError) {
        let update = statements.setLease
        try update.bind(1, id)
        try update.bind(2, epoch)
        if let holder { try update.bind(3, holder) } else { try update.bindNull(3) }
        try update.run()
    }

    private func lastSequence(of conversation: Conversation?) throws(StoreError) -> Int64 {
        guard let conversation else { return 0 }
        try statements.lastSequence.bind(1, conversation.id)
        return try statements.lastSequence.first { $0.integer(0) } ?? 0
    }

    private func hasInbox(_ conversation: Int64) throws(StoreError) -> Bool {
        try statements.hasInbox.bind(1, conversation)
        return try statements.hasInbox.first { _ in true } ?? false
    }
}
