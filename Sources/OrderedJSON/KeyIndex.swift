/// Where each key of a large object stands: an open-addressing table of member positions.
///
/// Hashes are of the keys' UTF-8 bytes and seeded per process, so a sender cannot choose keys
/// that collide, nor keys that are canonically equivalent and so share a `String` hash.
struct KeyIndex: Sendable {
    /// Objects of at most this many members are searched without an index.
    static let threshold = 16

    /// A member's position plus one, or 0; the count is a power of two, at least twice as many
    /// as there are members.
    private var slots: [UInt32]
    private var used = 0

    private init(capacity: Int) {
        var size = 64
        while size < capacity * 2 { size *= 2 }
        slots = [UInt32](repeating: 0, count: size)
    }

    /// An index of `members`, or the position of the first that repeats an earlier key.
    static func build(_ members: [JSONObject.Member]) -> (index: KeyIndex, duplicate: Int?) {
        var index = KeyIndex(capacity: members.count)
        for position in members.indices
        where index.insert(members[position].key, at: position, in: members) != nil {
            return (index, position)
        }
        return (index, nil)
    }

    /// The position of `key` among the `members` this indexes.
    func find(_ key: String, in members: [JSONObject.Member]) -> Int? {
        var slot = Self.hash(key) & (slots.count - 1)
        while slots[slot] != 0 {
            let position = Int(slots[slot]) - 1
            if sameBytes(members[position].key, key) { return position }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    /// Notes that `key` stands at `position`; returns the position it already had instead.
    mutating func insert(
        _ key: String, at position: Int, in members: [JSONObject.Member]
    ) -> Int? {
        if used * 2 >= slots.count {
            let before = members[..<position]
            self = KeyIndex(capacity: (used + 1) * 2)
            for earlier in before.indices { place(before[earlier].key, at: earlier, in: members) }
        }
        return place(key, at: position, in: members)
    }

    @discardableResult
    private mutating func place(
        _ key: String, at position: Int, in members: [JSONObject.Member]
    ) -> Int? {
        var slot = Self.hash(key) & (slots.count - 1)
        while slots[slot] != 0 {
            let earlier = Int(slots[slot]) - 1
            if sameBytes(members[earlier].key, key) { return earlier }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = UInt32(truncatingIfNeeded: position + 1)
        used += 1
        return nil
    }

    private static func hash(_ key: String) -> Int {
        var hasher = Hasher()
        combineBytes(of: key, into: &hasher)
        return hasher.finalize()
    }
}
