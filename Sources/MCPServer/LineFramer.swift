/// Cuts a stream of bytes into lines, and skips lines that are too long.
///
/// A carriage return before the line feed is no part of a line; blank lines are left out.
struct LineFramer {
    /// What came out of the stream.
    enum Line: Equatable {
        /// A line, without its end.
        case complete([UInt8])
        /// A line of more bytes than are kept; it is said once, when that is known.
        case tooLong
    }

    /// How many bytes of a line are kept.
    let limitBytes: Int
    private var pending: [UInt8] = []
    private var isSkipping = false

    init(limitBytes: Int) { self.limitBytes = limitBytes }

    /// The lines that end in these bytes, in order.
    mutating func received(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end], into: &lines)
            finishLine(into: &lines)
            rest = rest[(end + 1)...]
        }
        take(rest, into: &lines)
        return lines
    }

    /// The last line, where the stream ended without a line feed.
    mutating func ended() -> [Line] {
        var lines: [Line] = []
        finishLine(into: &lines)
        return lines
    }

    private mutating func take(_ part: ArraySlice<UInt8>, into lines: inout [Line]) {
        guard !isSkipping else { return }
        if pending.count + part.count > limitBytes {
            pending = []
            isSkipping = true
            lines.append(.tooLong)
        } else {
            pending += part
        }
    }

    private mutating func finishLine(into lines: inout [Line]) {
        if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
        if !isSkipping, !pending.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == 9 }) {
            lines.append(.complete(pending))
        }
        pending = []
        isSkipping = false
    }
}
