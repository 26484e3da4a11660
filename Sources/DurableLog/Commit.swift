/// What one atomic commit does: all of it, or nothing.
public struct Commit: Sendable {
    /// Events for one or several conversations, each named at most once.
    public var appends: [Append]
    /// Changes to declared tables, in order.
    public var writes: [TableWrite]
    /// Inbox items that this commit carries out, and so removes.
    public var consumedInbox: [Int64]

    /// A commit of these parts; at least one must not be empty.
    public init(appends: [Append] = [], writes: [TableWrite] = [], consumedInbox: [Int64] = []) {
        self.appends = appends
        self.writes = writes
        self.consumedInbox = consumedInbox
    }
}

/// Events for one conversation, on conditions.
public struct Append: Sendable {
    /// What becomes of the conversation's lease in the same commit.
    public enum LeaseChange: Hashable, Sendable {
        /// It stays with its holder.
        case keep
        /// The conversation must be new (no events, no lease): this process takes it at epoch 1.
        case open(ProcessID)
        /// As `open`, and it is released again at once.
        case openAndRelease(ProcessID)
        /// It is released, unless the inbox then still holds something for the conversation.
        case release
    }

    /// The stream to extend.
    public var conversation: ConversationID
    /// The sequence of its last event as the caller knows it; 0 for a new one.
    public var expectedSequence: Int64
    /// The epoch the caller holds; 1 with `open`.
    public var epoch: Int64
    /// Oldest first; may be empty, and then only the conditions and the lease's change count.
    public var events: [NewEvent]
    /// What becomes of the lease.
    public var lease: LeaseChange

    /// An append of these parts.
    public init(
        conversation: ConversationID, expectedSequence: Int64, epoch: Int64, events: [NewEvent],
        lease: LeaseChange = .keep
    ) {
        self.conversation = conversation
        self.expectedSequence = expectedSequence
        self.epoch = epoch
        self.events = events
        self.lease = lease
    }
}

/// What a commit gave, one entry an append, in order.
public struct CommitReceipt: Hashable, Sendable {
    /// One append's outcome.
    public struct Entry: Hashable, Sendable {
        /// The global position of its last event; 0 where it had none.
        public var lastPosition: Int64
        /// Whether the lease is free now; false where the inbox kept it.
        public var released: Bool

        /// An entry of these parts.
        public init(lastPosition: Int64, released: Bool) {
            self.lastPosition = lastPosition
            self.released = released
        }
    }

    /// One entry an append.
    public var entries: [Entry]

    /// A receipt of these entries.
    public init(entries: [Entry]) { self.entries = entries }
}
