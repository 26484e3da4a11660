internal import Synchronization

/// Keeps everything in memory: for tests, and for servers that need no durability.
///
/// Several stores on one ``MemoryBacking`` behave as several processes on one file.
public final class MemoryEventStore: EventStore {
    /// This process's own id.
    public let processID: ProcessID
    /// A value whenever another process woke this one.
    public let wakes: AsyncStream<Void>
    /// What this store shares with others.
    public let backing: MemoryBacking

    /// An empty store of its own.
    public convenience init(tables: [TableSchema], processID: ProcessID) {
        self.init(backing: MemoryBacking(tables: tables), processID: processID)
    }

    /// One process's view of a shared backing; its id must be new there.
    public init(backing: MemoryBacking, processID: ProcessID) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.processID = processID
        self.backing = backing
        wakes = stream
        backing.state.withLock { state in
            precondition(state.processes[processID] == nil, "A process id is never used twice.")
            state.processes[processID] = MemoryState.Process(wake: continuation)
        }
    }

    /// Makes this process dead, as `kill -9` would: the store fails from now on, its leases stay.
    public func kill() { backing.kill(processID) }

    /// Runs `body` on the state, unless this process is dead or the store closed.
    private func whileAlive<Value>(
        _ body: (inout sending MemoryState) throws(StoreError) -> sending Value
    ) throws(StoreError) -> sending Value {
        try backing.state.withLock { (state) throws(StoreError) -> sending Value in
            guard state.processes[processID]?.isAlive == true else { throw StoreError.closed() }
            return try body(&state)
        }
    }

    // MARK: Writing

    /// Commits under a lock; never suspends.
    @discardableResult
    public func commit(_ commit: Commit) throws(StoreError) -> CommitReceipt {
        try commit.checkShape(process: processID)
        return try whileAlive { (state) throws(StoreError) in
            for write in commit.writes { state.catalogue.check(write) }
            return try state.commit(commit, by: processID)
        }
    }

    // MARK: Reading

    /// Up to `limit` events of one conversation after `sequence`, oldest first.
    public func events(
        of conversation: ConversationID, after sequence: Int64, limit: Int
    ) throws(StoreError) -> [StoredEvent] {
        precondition(limit > 0 && sequence >= 0)
        return try whileAlive { (state) throws(StoreError) in
            let indexes = state.conversations[conversation]?.events ?? []
            return indexes.dropFirst(Int(clamping: sequence))
                .prefix(min(limit, StoreLimits.readLimit)).map { state.events[$0] }
        }
    }

    /// Up to `limit` events of the whole store after `position`, oldest first.
    public func events(after position: Int64, limit: Int) throws(StoreError) -> [StoredEvent] {
        precondition(limit > 0 && position >= 0)
        return try whileAlive { (state) throws(StoreError) in
            Array(
                state.events.dropFirst(Int(clamping: position))
                    .prefix(min(limit, StoreLimits.readLimit)))
        }
    }

    /// Rows of a declared table.
    public func rows(_ query: TableQuery) throws(StoreError) -> [Row] {
        try whileAlive { (state) throws(StoreError) in
            state.catalogue.check(query)
            return state.tables[query.table]?.rows(query) ?? []
        }
    }

    // MARK: Leases

    /// Takes the lease of a conversation, if it is free or its holder is `deadHolder`.
    public func acquireLease(
        of conversation: ConversationID, for process: ProcessID, takingFrom deadHolder: ProcessID?
    ) throws(StoreError) -> LeaseGrant {
        try whileAlive { (state) throws(StoreError) in
            state.acquireLease(of: conversation, for: process, takingFrom: deadHolder)
        }
    }

    /// The lease of a conversation, or nil where none was ever taken.
    public func lease(of conversation: ConversationID) throws(StoreError) -> Lease? {
        try whileAlive { (state) throws(StoreError) in state.lease(of: conversation) }
    }

    /// Up to `limit` leases that `process` holds.
    public func leases(heldBy process: ProcessID, limit: Int) throws(StoreError) -> [Lease] {
        precondition(limit > 0)
        return try whileAlive { (state) throws(StoreError) in
            var found: [Lease] = []
            for (id, conversation) in state.conversations where conversation.holder == process {
                found.append(
                    Lease(conversation: id, holder: process, epoch: conversation.epoch))
                if found.count == limit { break }
            }
            return found
        }
    }

    // MARK: Inbox

    /// Leaves an item for whoever holds the conversation, and reads the lease at once.
    public func enqueue(_ item: InboxItem) throws(StoreError) -> (id: Int64, lease: Lease?) {
        try item.checkShape()
        return try whileAlive { (state) throws(StoreError) in
            state.lastInboxID += 1
            var kept = item
            kept.id = state.lastInboxID
            state.inbox.append(kept)
            return (kept.id, state.lease(of: item.conversation))
        }
    }

    /// The items waiting for a conversation, oldest first.
    public func inbox(of conversation: ConversationID) throws(StoreError) -> [InboxItem] {
        try whileAlive { (state) throws(StoreError) in
            Array(
                state.inbox.lazy.filter { $0.conversation == conversation }
                    .prefix(StoreLimits.inboxReadLimit))
        }
    }

    /// Up to `limit` conversations that have items waiting and whose lease is free.
    public func unownedInboxes(limit: Int) throws(StoreError) -> [ConversationID] {
        precondition(limit > 0)
        return try whileAlive { (state) throws(StoreError) in
            var found: [ConversationID] = []
            for item in state.inbox where found.count < limit {
                let id = item.conversation
                guard state.conversations[id]?.holder == nil, !found.contains(id) else { continue }
                found.append(id)
            }
            return found
        }
    }

    // MARK: Processes

    /// The ids of every process that has registered and was not forgotten.
    public func processes() throws(StoreError) -> [ProcessID] {
        try whileAlive { (state) throws(StoreError) in Array(state.processes.keys) }
    }

    /// Whether a process was neither killed nor closed.
    public func isAlive(_ process: ProcessID) -> Bool {
        backing.state.withLock { $0.processes[process]?.isAlive == true }
    }

    /// Forgets a dead process that holds no leases any more.
    public func forget(_ process: ProcessID) throws(StoreError) {
        try whileAlive { (state) throws(StoreError) in
            guard state.processes[process]?.isAlive == false,
                !state.conversations.values.contains(where: { $0.holder == process })
            else { return }
            state.processes[process] = nil
        }
    }

    /// Tells another process that something is new.
    public func wake(_ process: ProcessID) {
        let continuation = backing.state.withLock { state in
            state.processes[process].flatMap { $0.isAlive ? $0.wake : nil }
        }
        continuation?.yield()
    }

    // MARK: The store itself

    /// A small named value of the store; nil where absent.
    public func metadata(_ name: String) throws(StoreError) -> [UInt8]? {
        try whileAlive { (state) throws(StoreError) in state.metadata[name] }
    }

    /// Keeps `value` under `name` unless one is there already; gives what is kept.
    public func setMetadataIfAbsent(
        _ name: String, _ value: [UInt8]
    ) throws(StoreError) -> [UInt8] {
        try whileAlive { (state) throws(StoreError) in
            if let kept = state.metadata[name] { return kept }
            state.metadata[name] = value
            return value
        }
    }

    /// Leaves what this process holds to others, and closes.
    public func close() {
        let wake = backing.state.withLock { state -> AsyncStream<Void>.Continuation? in
            guard let process = state.processes[processID], process.isAlive else { return nil }
            let holdsNothing = !state.conversations.values.contains { $0.holder == processID }
            if holdsNothing {
                state.processes[processID] = nil
            } else {
                state.processes[processID]?.isAlive = false
            }
            return process.wake
        }
        wake?.finish()
    }
}
