/// Bytes that have arrived and are not yet understood.
struct InputBuffer {
    private(set) var bytes: [UInt8] = []

    /// Where in ``bytes`` the unread ones start.
    private(set) var start = 0

    /// How many bytes are unread.
    var count: Int { bytes.count - start }

    var isEmpty: Bool { start == bytes.count }

    /// Adds the first `count` of `chunk`.
    mutating func append(_ chunk: [UInt8], count: Int) {
        // Read bytes are dropped when that moves few others, so the cost stays linear.
        if start > 0, start >= bytes.count - start {
            bytes.removeSubrange(..<start)
            start = 0
        }
        bytes.append(contentsOf: chunk[..<count])
    }

    /// Marks the next `count` bytes as read.
    mutating func consume(_ count: Int) {
        precondition(count <= self.count)
        start += count
        guard start == bytes.count else { return }
        // An idle connection keeps little memory.
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4096)
        start = 0
    }

    /// Moves up to `limit` unread bytes to the end of `target`.
    mutating func move(atMost limit: Int, to target: inout [UInt8]) -> Int {
        let moved = min(limit, count)
        target.append(contentsOf: bytes[start..<(start + moved)])
        consume(moved)
        return moved
    }
}
