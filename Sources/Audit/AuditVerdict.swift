public import DurableLog
package import OrderedJSON

/// One thing that is not as it was written.
public struct AuditFinding: Hashable, Sendable {
    /// What kind of thing it is.
    public enum Kind: String, Sendable {
        /// An event does not follow from the one before it: a byte of it was changed.
        case changed
        /// Events are gone from within a conversation.
        case missing
        /// An event stands elsewhere in the log than its conversation's order allows.
        case misplaced
        /// The log does not contain what the expected tip was taken of.
        case tip
        /// The store can be read no further.
        case unreadable
        /// A row beside the log is not what the events imply.
        case projection
    }

    /// What kind of thing it is.
    public let kind: Kind
    /// The place in the log, where there is one.
    public let position: Int64?
    /// The conversation, where it is about one.
    public let conversationID: ConversationID?
    /// The place in the conversation, where there is one.
    public let sequence: Int64?
    /// What is wrong, and where; never a payload.
    public let message: String

    init(
        _ kind: Kind, position: Int64? = nil, conversationID: ConversationID? = nil,
        sequence: Int64? = nil, message: String
    ) {
        self.kind = kind
        self.position = position
        self.conversationID = conversationID
        self.sequence = sequence
        self.message = message
    }

    /// For listings.
    package var json: JSONValue {
        var object: JSONObject = ["kind": .string(kind.rawValue)]
        object["position"] = position.map { .number(JSONNumber($0)) }
        object["conversationId"] = conversationID.map { .string($0.rawValue) }
        object["sequence"] = sequence.map { .number(JSONNumber($0)) }
        object["message"] = .string(message)
        return .object(object)
    }
}

/// What a check found.
public struct AuditVerdict: Hashable, Sendable {
    /// How many findings are kept; the others are only counted.
    public static let findingLimit = 100

    /// The tip of the log as it was read.
    public internal(set) var tip = AuditTip.start
    /// How many conversations begin in it.
    public internal(set) var conversationCount: Int64 = 0
    /// The first findings, in the order they were met.
    public private(set) var findings: [AuditFinding] = []
    /// How many findings there are.
    public private(set) var findingCount = 0

    /// Whether everything is as it was written.
    public var isIntact: Bool { findingCount == 0 }

    mutating func add(_ finding: AuditFinding) {
        findingCount += 1
        if findings.count < Self.findingLimit { findings.append(finding) }
    }

    /// Adds what another check found.
    package mutating func add(contentsOf other: AuditVerdict) {
        findings += other.findings.prefix(max(Self.findingLimit - findings.count, 0))
        findingCount += other.findingCount
    }

    /// For listings: `intact`, `tip`, `eventCount`, `conversationCount`, `findings`.
    package var json: JSONObject {
        [
            "intact": .bool(isIntact), "tip": .string(tip.text),
            "eventCount": .number(JSONNumber(tip.count)),
            "conversationCount": .number(JSONNumber(conversationCount)),
            "findingCount": .number(JSONNumber(findingCount)),
            "findings": .array(findings.map(\.json)),
        ]
    }
}
