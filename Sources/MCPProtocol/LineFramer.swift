/// Cuts a stream of bytes into lines, as both ends of a stdio connection read them, and never
/// keeps more of one than the limit.
///
/// A carriage return before the line feed is no part of a line; blank lines are left out.
package struct LineFramer: Sendable {
    /// What came out of the stream.
    package enum Line: Equatable, Sendable {
        /// A line, without its end.
        case whole([UInt8])
        /// The beginning of a line that is longer than the limit; the rest is dropped.
        case tooLong(head: [UInt8])
    }

    /// The most bytes that a line may have.
    package let limitBytes: Int
    /// How much of a line that is too long is given out.
    package let headBytes: Int

    private var pending: [UInt8] = []
    private var isSkipping = false

    package init(limitBytes: Int, headBytes: Int = 1_024) {
        self.limitBytes = limitBytes
        self.headBytes = headBytes
    }

    /// Takes in bytes and gives out the lines that end in them, oldest first.
    package mutating func append(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end], into: &lines)
            if let line = finish() { lines.append(.whole(line)) }
            rest = rest[(end + 1)...]
        }
        take(rest, into: &lines)
        return lines
    }

    /// The line that the stream ended in, if there is one.
    package mutating func finish() -> [UInt8]? {
        defer {
            pending = []
            isSkipping = false
        }
        if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
        let isBlank = pending.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return isBlank ? nil : pending
    }

    private mutating func take(_ part: ArraySlice<UInt8>, into lines: inout [Line]) {
        guard !isSkipping else { return }
        guard pending.count + part.count > limitBytes else {
            pending += part
            return
        }
        let kept = pending.prefix(headBytes)
        lines.append(.tooLong(head: Array(kept + part.prefix(headBytes - kept.count))))
        pending = []
        isSkipping = true
    }
}
