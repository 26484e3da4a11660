/// The members of a JSON object, in the order they were written; keys are unique.
public struct JSONObject: Hashable, Sendable {
    /// One member.
    public struct Member: Hashable, Sendable {
        /// The key, decoded.
        public let key: String
        /// The value.
        public var value: JSONValue
    }

    /// The members, oldest first.
    public private(set) var members: [Member]

    /// An object without members.
    public init() { members = [] }

    /// An object of these members; a key named twice keeps its place and its last value.
    public init(_ pairs: some Sequence<(String, JSONValue)>) {
        members = []
        for (key, value) in pairs { self[key] = value }
    }

    /// The number of members.
    public var count: Int { members.count }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The keys, in order.
    public var keys: [String] { members.map(\.key) }

    /// The value of a member; setting nil removes it, setting a new key appends.
    public subscript(key: String) -> JSONValue? {
        get { members.first { $0.key == key }?.value }
        set {
            let index = members.firstIndex { $0.key == key }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(key: key, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object of these members; a key named twice keeps its last value.
    public init(dictionaryLiteral elements: (String, JSONValue)...) { self.init(elements) }
}
