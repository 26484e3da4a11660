/// The name of one stream of events: the unit of order, of locking and of encryption.
public struct ConversationID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The id as people see it, such as `cnv_…`; 1 to 200 UTF-8 bytes.
    public let rawValue: String
    /// The id of these characters.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The id itself.
    public var description: String { rawValue }
}

/// The name of one process that has a store open; never used twice.
public struct ProcessID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The id, such as `prc_…`; safe as a file name.
    public let rawValue: String
    /// The id of these characters.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The id itself.
    public var description: String { rawValue }
}

/// An event that is about to be appended.
public struct NewEvent: Hashable, Sendable {
    /// The event's name, such as `effect.intent`.
    public var type: String
    /// The version of the payload's shape, from 1.
    public var version: Int
    /// Milliseconds since 1970, never before the event before it.
    public var time: Int64
    /// UTF-8 JSON, at most 16 MiB; kept byte for byte.
    public var payload: [UInt8]
    /// 32 bytes, chained to the event before it by whoever produced it.
    public var digest: [UInt8]

    /// An event of these parts.
    public init(type: String, version: Int, time: Int64, payload: [UInt8], digest: [UInt8]) {
        self.type = type
        self.version = version
        self.time = time
        self.payload = payload
        self.digest = digest
    }
}

/// An event as it stands in a store.
public struct StoredEvent: Hashable, Sendable {
    /// Its place in the whole store, from 1; rises, may leave gaps.
    public var position: Int64
    /// The stream it belongs to.
    public var conversation: ConversationID
    /// Its place in that stream, from 1, without gaps.
    public var sequence: Int64
    /// The lease epoch it was appended under.
    public var epoch: Int64
    /// What was appended.
    public var event: NewEvent

    /// An event of these parts.
    public init(
        position: Int64, conversation: ConversationID, sequence: Int64, epoch: Int64,
        event: NewEvent
    ) {
        self.position = position
        self.conversation = conversation
        self.sequence = sequence
        self.epoch = epoch
        self.event = event
    }
}
