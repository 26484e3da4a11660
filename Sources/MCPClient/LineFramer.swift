/// Cuts a stream of bytes into lines, and never keeps more of one than the limit.
struct LineFramer {
    /// One line, without its newline.
    enum Line: Equatable {
        /// All of it.
        case whole([UInt8])
        /// The beginning of a line that is longer than the limit; the rest is dropped.
        case tooLong(head: [UInt8])
    }

    /// The most bytes that a line may have.
    let limitBytes: Int
    /// How much of a line that is too long is given out.
    let headBytes: Int

    private var buffer: [UInt8] = []
    private var isSkipping = false

    init(limitBytes: Int, headBytes: Int = 1_024) {
        self.limitBytes = limitBytes
        self.headBytes = headBytes
    }

    /// Takes in bytes and gives out the lines that end in them, oldest first; no empty ones.
    mutating func append(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: 10) {
            take(bytes[start..<end], into: &lines)
            if !isSkipping, !buffer.isEmpty { lines.append(.whole(buffer)) }
            buffer = []
            isSkipping = false
            start = end + 1
        }
        take(bytes[start...], into: &lines)
        return lines
    }

    /// The line that the stream ended in, if there is one.
    mutating func finish() -> [UInt8]? {
        defer { buffer = [] }
        return buffer.isEmpty ? nil : buffer
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>, into lines: inout [Line]) {
        guard !isSkipping else { return }
        buffer += bytes
        guard buffer.count > limitBytes else { return }
        lines.append(.tooLong(head: Array(buffer.prefix(headBytes))))
        buffer = []
        isSkipping = true
    }
}
