/// The members of a JSON object, in the order they were written; keys are unique.
///
/// Keys are compared by their UTF-8 bytes, not by canonical equivalence.
public struct JSONObject: Sendable {
    /// One member.
    public struct Member: Sendable {
        /// The key, decoded.
        public let key: String
        /// The value.
        public var value: JSONValue
    }

    /// The members, oldest first.
    public private(set) var members: [Member]

    /// Where each key stands, once there are more than ``KeyIndex/threshold`` of them.
    private var index: KeyIndex?

    /// An object without members.
    public init() { members = [] }

    /// An object of these members; a key named twice keeps its place and its last value.
    public init(_ pairs: some Sequence<(String, JSONValue)>) {
        members = []
        for (key, value) in pairs { self[key] = value }
    }

    /// An object of members whose keys are known to differ.
    init(distinct members: [Member], index: KeyIndex?) {
        self.members = members
        self.index = index
    }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The keys, in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of a member; setting nil removes it, setting a new key appends.
    ///
    /// Finding and appending take constant time, removing takes time in the number of members.
    public subscript(key: String) -> JSONValue? {
        get { position(of: key).map { members[$0].value } }
        set {
            switch (position(of: key), newValue) {
            case (let position?, let value?): members[position].value = value
            case (let position?, nil):
                members.remove(at: position)
                index = members.count > KeyIndex.threshold ? KeyIndex.build(members).index : nil
            case (nil, let value?): append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }

    private func position(of key: String) -> Int? {
        if let index { return index.find(key, in: members) }
        return members.firstIndex { sameBytes($0.key, key) }
    }

    private mutating func append(_ member: Member) {
        members.append(member)
        if index != nil {
            _ = index?.insert(member.key, at: members.count - 1, in: members)
        } else if members.count > KeyIndex.threshold {
            index = KeyIndex.build(members).index
        }
    }
}

extension JSONObject: Hashable {
    /// Whether both have the same members in the same order.
    public static func == (first: Self, second: Self) -> Bool { first.members == second.members }

    /// Feeds the members, in order.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

extension JSONObject.Member: Hashable {
    /// Whether both have the same key, byte by byte, and the same value.
    public static func == (first: Self, second: Self) -> Bool {
        sameBytes(first.key, second.key) && first.value == second.value
    }

    /// Feeds the key and the value.
    public func hash(into hasher: inout Hasher) {
        combineBytes(of: key, into: &hasher)
        hasher.combine(value)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object of these members; a key named twice keeps its last value.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
