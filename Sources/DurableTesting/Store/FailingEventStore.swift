public import DurableLog
internal import Synchronization

/// A store whose chosen operations fail, as disks and processes do.
///
/// Operations that write (`commit`, `acquireLease`, `enqueue`, `forget` and
/// `setMetadataIfAbsent`) are counted from 0 and put to the plan; reads fail only once the
/// process is dead.
public final class FailingEventStore: EventStore {
    /// How one operation fails.
    public enum Failure: Sendable {
        /// It does not happen, and says so.
        case refused
        /// It does not happen, and nobody can tell: `.outcomeUnknown`.
        case unknownNotDone
        /// It happens, and nobody can tell: `.outcomeUnknown`.
        case unknownDone
        /// The process dies before it: this and all that follows fails.
        case deadBefore
        /// The process dies right after it, before the caller is told.
        case deadAfter
    }

    private struct State {
        var operations = 0
        var isDead = false
    }

    private let store: any EventStore
    private let plan: @Sendable (Int) -> Failure?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - store: Does what does not fail.
    ///   - plan: Gives how the operation with this number fails, or nil where it does not.
    public init(_ store: any EventStore, plan: @escaping @Sendable (Int) -> Failure?) {
        self.store = store
        self.plan = plan
    }

    /// How many writing operations were asked for until now.
    public var operations: Int { state.withLock(\.operations) }

    /// Whether the process has died.
    public var isDead: Bool { state.withLock(\.isDead) }

    private func write<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let failure = try state.withLock { (state) throws(StoreError) -> Failure? in
            if state.isDead { throw Self.dead }
            let failure = plan(state.operations)
            state.operations += 1
            if failure == .deadBefore { state.isDead = true }
            return failure
        }
        switch failure {
        case nil: return try await body()
        case .refused:
            throw StoreError(code: .unavailable, message: "A test refused this operation.")
        case .unknownNotDone: throw Self.unknown
        case .unknownDone:
            _ = try await body()
            throw Self.unknown
        case .deadBefore: throw Self.dead
        case .deadAfter:
            // A death hides an error as it hides a success.
            _ = try? await body()
            state.withLock { $0.isDead = true }
            throw Self.dead
        }
    }

    private func read<Value>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        if isDead { throw Self.dead }
        return try await body()
    }

    private static let unknown = StoreError(
        code: .outcomeUnknown, message: "A test lost the outcome of this operation.")
    private static let dead = StoreError(
        code: .unavailable, message: "A test made this process dead.")

    /// This process's own id.
    public var processID: ProcessID { store.processID }

    /// A value whenever another process woke this one.
    public var wakes: AsyncStream<Void> { store.wakes }

    /// Commits, unless the plan says otherwise.
    @discardableResult
    public func commit(_ commit: Commit) async throws(StoreError) -> CommitReceipt {
        try await write { () async throws(StoreError) in try await store.commit(commit) }
    }

    /// Takes a lease, unless the plan says otherwise.
    public func acquireLease(
        of conversation: ConversationID, for process: ProcessID, takingFrom deadHolder: ProcessID?
    ) async throws(StoreError) -> LeaseGrant {
        try await write { () async throws(StoreError) in
            try await store.acquireLease(
                of: conversation, for: process, takingFrom: deadHolder)
        }
    }

    /// Leaves an item, unless the plan says otherwise.
    public func enqueue(
        _ item: InboxItem
    ) async throws(StoreError) -> (id: Int64, lease: Lease?) {
        try await write { () async throws(StoreError) in try await store.enqueue(item) }
    }

    /// Forgets a process, unless the plan says otherwise.
    public func forget(_ process: ProcessID) async throws(StoreError) {
        try await write { () async throws(StoreError) in try await store.forget(process) }
    }

    /// Keeps a value, unless the plan says otherwise.
    public func setMetadataIfAbsent(
        _ name: String, _ value: [UInt8]
    ) async throws(StoreError) -> [UInt8] {
        try await write { () async throws(StoreError) in
            try await store.setMetadataIfAbsent(name, value)
        }
    }

    /// Up to `limit` events of one conversation after `sequence`, oldest first.
    public func events(
        of conversation: ConversationID, after sequence: Int64, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        try await read { () async throws(StoreError) in
            try await store.events(of: conversation, after: sequence, limit: limit)
        }
    }

    /// Up to `limit` events of the whole store after `position`, oldest first.
    public func events(
        after position: Int64, limit: Int
    ) async throws(StoreError) -> [StoredEvent] {
        try await read { () async throws(StoreError) in
            try await store.events(after: position, limit: limit)
        }
    }

    /// Rows of a declared table.
    public func rows(_ query: TableQuery) async throws(StoreError) -> [Row] {
        try await read { () async throws(StoreError) in try await store.rows(query) }
    }

    /// The lease of a conversation, or nil where none was ever taken.
    public func lease(of conversation: ConversationID) async throws(StoreError) -> Lease? {
        try await read { () async throws(StoreError) in
            try await store.lease(of: conversation)
        }
    }

    /// Up to `limit` leases that `process` holds.
    public func leases(
        heldBy process: ProcessID, limit: Int
    ) async throws(StoreError) -> [Lease] {
        try await read { () async throws(StoreError) in
            try await store.leases(heldBy: process, limit: limit)
        }
    }

    /// The items waiting for a conversation, oldest first.
    public func inbox(of conversation: ConversationID) async throws(StoreError) -> [InboxItem] {
        try await read { () async throws(StoreError) in
            try await store.inbox(of: conversation)
        }
    }

    /// Up to `limit` conversations that have items waiting and whose lease is free.
    public func unownedInboxes(limit: Int) async throws(StoreError) -> [ConversationID] {
        try await read { () async throws(StoreError) in
            try await store.unownedInboxes(limit: limit)
        }
    }

    /// The ids of every process that has registered and was not forgotten.
    public func processes() async throws(StoreError) -> [ProcessID] {
        try await read { () async throws(StoreError) in try await store.processes() }
    }

    /// Whether a process still runs.
    public func isAlive(_ process: ProcessID) async -> Bool { await store.isAlive(process) }

    /// Wakes another process, unless this one is dead.
    public func wake(_ process: ProcessID) async {
        if !isDead { await store.wake(process) }
    }

    /// A small named value of the store; nil where absent.
    public func metadata(_ name: String) async throws(StoreError) -> [UInt8]? {
        try await read { () async throws(StoreError) in try await store.metadata(name) }
    }

    /// Closes, unless the process is dead.
    public func close() async {
        if !isDead { await store.close() }
    }
}
