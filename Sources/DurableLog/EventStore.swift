/// An append-only log of events in conversations, with the leases, inbox and tables beside it.
///
/// `EventStoreContract` in `DurableTesting` is the definition of these semantics; every
/// conformer passes all of it. A method returns only when what it did is durable. Cancelling a
/// waiting caller does not undo what it asked for.
public protocol EventStore: Sendable {
    // MARK: Writing

    /// Commits everything in `commit`, or nothing.
    ///
    /// - Throws: ``StoreError``: `.conflict` where a sequence is not the expected one, where `open`
    ///   finds events or a lease, and where an inbox item is gone; `.staleEpoch` where the lease
    ///   has another epoch or holder; `.duplicateKey` for an `insert`; `.outcomeUnknown` where it
    ///   may or may not have happened (read before answering); `.unavailable`, `.corrupt`,
    ///   `.tooLarge`.
    @discardableResult
    func commit(_ commit: Commit) async throws(StoreError) -> CommitReceipt

    // MARK: Reading

    /// Up to `limit` events of one conversation after `sequence`, oldest first.
    func events(
        of conversation: ConversationID, after sequence: Int64, limit: Int
    ) async throws(StoreError) -> [StoredEvent]

    /// Up to `limit` events of the whole store after `position`, oldest first.
    func events(after position: Int64, limit: Int) async throws(StoreError) -> [StoredEvent]

    /// Rows of a declared table, each with every column, absent ones null.
    ///
    /// Null comes before any value; rows that are equal in `orderBy` are ordered by their key.
    func rows(_ query: TableQuery) async throws(StoreError) -> [Row]

    // MARK: Leases

    /// Takes the lease of a conversation for `process`, with a higher epoch than any before.
    ///
    /// Granted where it is free, where `process` holds it already (same epoch), or where its
    /// holder is `deadHolder`. Otherwise says who holds it.
    func acquireLease(
        of conversation: ConversationID, for process: ProcessID, takingFrom deadHolder: ProcessID?
    ) async throws(StoreError) -> LeaseGrant

    /// The lease of a conversation, or nil where none was ever taken.
    func lease(of conversation: ConversationID) async throws(StoreError) -> Lease?

    /// Up to `limit` leases that `process` holds.
    func leases(heldBy process: ProcessID, limit: Int) async throws(StoreError) -> [Lease]

    // MARK: Inbox

    /// Leaves an item for whoever holds the conversation, and reads the lease, in one transaction.
    func enqueue(_ item: InboxItem) async throws(StoreError) -> (id: Int64, lease: Lease?)

    /// The items waiting for a conversation, oldest first, at most 1,000.
    func inbox(of conversation: ConversationID) async throws(StoreError) -> [InboxItem]

    /// Up to `limit` conversations that have items waiting and whose lease is free.
    func unownedInboxes(limit: Int) async throws(StoreError) -> [ConversationID]

    // MARK: Processes

    /// The ids of every process that has registered and was not forgotten, this one included.
    func processes() async throws(StoreError) -> [ProcessID]

    /// Whether a process still runs, known at once on one machine.
    func isAlive(_ process: ProcessID) async -> Bool

    /// Forgets a dead process; nothing where it lives or still holds leases.
    func forget(_ process: ProcessID) async throws(StoreError)

    /// This process's own id, registered when the store was opened.
    var processID: ProcessID { get }

    /// Tells another process that its inbox, or the log, has something new. Best effort.
    func wake(_ process: ProcessID) async

    /// A value whenever another process woke this one. One consumer; coalesced.
    var wakes: AsyncStream<Void> { get }

    // MARK: The store itself

    /// A small named value of the store, such as its id or its secret; nil where absent.
    func metadata(_ name: String) async throws(StoreError) -> [UInt8]?

    /// Keeps `value` under `name` unless one is there already; gives what is kept.
    func setMetadataIfAbsent(_ name: String, _ value: [UInt8]) async throws(StoreError) -> [UInt8]

    /// Waits for commits under way and closes. Idempotent.
    ///
    /// What this process still holds is for others to take over, as from a dead one; where it
    /// holds nothing, it is forgotten.
    func close() async
}

/// Who may append to a conversation.
public struct Lease: Hashable, Sendable {
    /// The conversation.
    public var conversation: ConversationID
    /// The holder, or nil where it is free.
    public var holder: ProcessID?
    /// The epoch of its newest holder, from 1.
    public var epoch: Int64

    /// A lease of these parts.
    public init(conversation: ConversationID, holder: ProcessID?, epoch: Int64) {
        self.conversation = conversation
        self.holder = holder
        self.epoch = epoch
    }
}

/// What a request for a lease gave.
public enum LeaseGrant: Hashable, Sendable {
    /// The caller may append under this epoch, from this sequence on.
    case granted(epoch: Int64)
    /// Another process holds it.
    case held(by: ProcessID, epoch: Int64)
}

/// A command for a conversation that another process holds.
public struct InboxItem: Hashable, Sendable {
    /// Given by the store; 0 before.
    public var id: Int64
    /// Whom it is for.
    public var conversation: ConversationID
    /// Who left it, and is to be woken when it has been carried out.
    public var sender: ProcessID
    /// Milliseconds since 1970.
    public var time: Int64
    /// UTF-8 JSON, at most 16 MiB.
    public var payload: [UInt8]

    /// An item of these parts.
    public init(
        id: Int64 = 0, conversation: ConversationID, sender: ProcessID, time: Int64,
        payload: [UInt8]
    ) {
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.time = time
        self.payload = payload
    }
}
