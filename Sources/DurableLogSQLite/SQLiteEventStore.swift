public import DurableLog
internal import LinuxPlatform

/// Keeps a log in one SQLite file, shared by the processes of one machine.
///
/// Beside the file stand its write-ahead log, `<file>-lock` and `<file>-processes/`. Only this
/// program may write or checkpoint it while it is in use.
public final class SQLiteEventStore: EventStore {
    /// This process's own id.
    public let processID: ProcessID
    /// A value whenever another process woke this one.
    public let wakes: AsyncStream<Void>

    private let catalogue: TableCatalogue
    private let writes: Inbox<WriteRequest>
    private let readers: ReaderPool
    private let presence: Presence

    /// Opens the store at `path`, making the file if it is missing.
    ///
    /// - Parameters:
    ///   - path: A file in a folder that exists, on a local disk.
    ///   - tables: Made, or widened by new columns, where the file does not have them.
    ///   - processID: Never used before with this store.
    ///   - configuration: What may be set.
    /// - Returns: The open store; ``close()`` it.
    /// - Throws: ``StoreError``: `.unavailable`, `.corrupt` where the file is damaged or no
    ///   store, `.newerVersion`.
    public static func open(
        path: String, tables: [TableSchema], processID: ProcessID,
        configuration: SQLiteConfiguration = SQLiteConfiguration()
    ) async throws(StoreError) -> SQLiteEventStore {
        let inbox = Inbox<WriteRequest>()
        let file = try StoreFile(
            path: path, tables: tables, process: processID, configuration: configuration)
        let opened = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Presence, StoreError>, Never>) in
            do throws(LinuxError) {
                try SystemThread.start(named: "durable-writer") {
                    Self.write(file, inbox, telling: continuation)
                }
            } catch {
                continuation.resume(returning: .failure(file.unavailable(error)))
            }
        }
        let presence = try opened.get()
        do throws(StoreError) {
            let readers = try ReaderPool(path: file.path, count: configuration.readers)
            return SQLiteEventStore(file, inbox, readers, presence)
        } catch {
            inbox.close()
            presence.leave()
            throw error
        }
    }

    /// The body of the writing thread.
    private static func write(
        _ file: StoreFile, _ inbox: Inbox<WriteRequest>,
        telling continuation: CheckedContinuation<Result<Presence, StoreError>, Never>
    ) {
        do throws(StoreError) {
            let (session, presence) = try file.prepare()
            let writer = try Writer(file: file, session: session, inbox: inbox)
            continuation.resume(returning: .success(presence))
            writer.run()
        } catch {
            continuation.resume(returning: .failure(error))
        }
    }

    private init(
        _ file: StoreFile, _ writes: Inbox<WriteRequest>, _ readers: ReaderPool,
        _ presence: Presence
    ) {
        processID = file.process
        wakes = presence.wakes
        catalogue = file.catalogue
        self.writes = writes
        self.readers = readers
        self.presence = presence
    }

    deinit { writes.close() }

    private func ask(
        _ action: WriteRequest.Action
    ) async throws(StoreError) -> WriteRequest.Outcome {
        let outcome = await withCheckedContinuation { continuation in
            let request = WriteRequest(action: action, reply: continuation)
            if !writes.send(request) { continuation.resume(returning: .failed(.closed())) }
        }
        if case .failed(let error) = outcome { throw error }
        return outcome
    }

    // MARK: Writing

    /// Commits together with what else is queued, in one transaction with one sync.
    @discardableResult
    public func commit(_ commit: Commit) async throws(StoreError) -> CommitReceipt {
        try commit.checkShape(process: processID)
        for write in commit.writes { catalogue.check(write) }
        guard case .receipt(let receipt) = try await ask(.commit(commit)) else {
            preconditionFailure("A commit gives a receipt.")
        }
        return receipt
    }

    // MARK: Reading

    /// Up to `limit` events of one conversation after `sequence`, oldest first.
    public func events(
        of conversation: ConversationID, after sequence: Int64, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        precondition(limit > 0 && sequence >= 0)
        return try await readers.read { reader throws(StoreError) in
            try reader.events(
                of: conversation, after: sequence, limit: min(limit, StoreLimits.readLimit))
        }
    }

    /// Up to `limit` events of the whole store after `position`, oldest first.
    public func events(
        after position: Int64, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        precondition(limit > 0 && position >= 0)
        return try await readers.read { reader throws(StoreError) in
            try reader.events(after: position, limit: min(limit, StoreLimits.readLimit))
        }
    }

    /// Rows of a declared table.
    public func rows(_ query: TableQuery) async throws(StoreError) -> [Row] {
        catalogue.check(query)
        let table = catalogue[query.table]
        return try await readers.read { reader throws(StoreError) in
            try reader.rows(query, of: table)
        }
    }

    // MARK: Leases

    /// Takes the lease of a conversation, if it is free or its holder is `deadHolder`.
    public func acquireLease(
        of conversation: ConversationID, for process: ProcessID, takingFrom deadHolder: ProcessID?
    ) async throws(StoreError) -> LeaseGrant {
        let outcome = try await ask(.acquire(conversation, process, takingFrom: deadHolder))
        guard case .grant(let grant) = outcome else {
            preconditionFailure("A request for a lease gives a grant.")
        }
        return grant
    }

    /// The lease of a conversation, or nil where none was ever taken.
    public func lease(of conversation: ConversationID) async throws(StoreError) -> Lease? {
        try await readers.read { reader throws(StoreError) in
            try reader.lease(of: conversation)
        }
    }

    /// Up to `limit` leases that `process` holds.
    public func leases(
        heldBy process: ProcessID, limit: Int
    ) async throws(StoreError) -> [Lease] {
        precondition(limit > 0)
        return try await readers.read { reader throws(StoreError) in
            try reader.leases(heldBy: process, limit: limit)
        }
    }

    // MARK: Inbox

    /// Leaves an item for whoever holds the conversation, and reads the lease at once.
    public func enqueue(
        _ item: InboxItem
    ) async throws(StoreError) -> (id: Int64, lease: Lease?) {
        try item.checkShape()
        guard case .enqueued(let id, let lease) = try await ask(.enqueue(item)) else {
            preconditionFailure("An item that is left gets an id.")
        }
        return (id, lease)
    }

    /// The items waiting for a conversation, oldest first.
    public func inbox(
        of conversation: ConversationID
    ) async throws(StoreError) -> [InboxItem] {
        try await readers.read { reader throws(StoreError) in
            try reader.inbox(of: conversation)
        }
    }

    /// Up to `limit` conversations that have items waiting and whose lease is free.
    public func unownedInboxes(limit: Int) async throws(StoreError) -> [ConversationID] {
        precondition(limit > 0)
        return try await readers.read { reader throws(StoreError) in
            try reader.unownedInboxes(limit: limit)
        }
    }

    // MARK: Processes

    /// The ids of every process that has registered and was not forgotten.
    public func processes() async throws(StoreError) -> [ProcessID] {
        try await readers.read { reader throws(StoreError) in try reader.processes() }
    }

    /// Whether a process holds the lock on its own file.
    public func isAlive(_ process: ProcessID) async -> Bool { presence.isAlive(process) }

    /// Forgets a dead process that holds no leases any more, and removes its files.
    public func forget(_ process: ProcessID) async throws(StoreError) {
        guard !presence.isAlive(process) else { return }
        if case .done(true) = try await ask(.forget(process)) {
            presence.remove(process.rawValue)
        }
    }

    /// Sends another process a datagram.
    public func wake(_ process: ProcessID) async { presence.wake(process) }

    // MARK: The store itself

    /// A small named value of the store; nil where absent.
    public func metadata(_ name: String) async throws(StoreError) -> [UInt8]? {
        try await readers.read { reader throws(StoreError) in try reader.metadata(name) }
    }

    /// Keeps `value` under `name` unless one is there already; gives what is kept.
    public func setMetadataIfAbsent(
        _ name: String, _ value: [UInt8]
    ) async throws(StoreError) -> [UInt8] {
        guard case .value(let kept) = try await ask(.setMetadata(name, value)) else {
            preconditionFailure("A value that is set is given back.")
        }
        return kept
    }

    /// Waits for what is queued, leaves what this process holds to others, and closes.
    public func close() async {
        // Closed before: there is nothing left to do.
        guard (try? await ask(.close)) != nil else { return }
        await readers.close()
        presence.leave()
    }

    /// Stops without a trace, as `kill -9` would, for tests.
    package func abandon() {
        writes.close()
        readers.stop()
        presence.die()
    }
}
