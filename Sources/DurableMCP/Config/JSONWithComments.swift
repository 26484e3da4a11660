/// JSON as people write it into config files: with `//` and `/* */` comments and trailing commas.
struct JSONWithComments {
    /// The text as plain JSON: comments and trailing commas became spaces, so offsets stay.
    let plain: [UInt8]

    /// The text as it was written.
    let original: [UInt8]

    /// Takes out what JSON does not know; what is no JSON either way stays for a parser to refuse.
    init(_ text: [UInt8]) {
        var reader = Reader(bytes: text)
        reader.read()
        original = text
        plain = reader.bytes
    }

    /// A place in a text, counted from 1; columns count characters.
    struct Position: Hashable, Sendable, CustomStringConvertible {
        var line: Int
        var column: Int
        var description: String { "\(line):\(column)" }
    }

    /// The place of a byte.
    static func position(of offset: Int, in text: [UInt8]) -> Position {
        let before = text.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // A UTF-8 continuation byte begins no character.
        let column = before[lineStart...].count { $0 & 0xC0 != 0x80 }
        return Position(line: before.count { $0 == UInt8(ascii: "\n") } + 1, column: column + 1)
    }

    private struct Reader {
        var bytes: [UInt8]
        private var index = 0
        /// The last comma, while nothing but space and comments came after it.
        private var pendingComma: Int?

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func read() {
            while index < bytes.count {
                switch bytes[index] {
                case UInt8(ascii: "\""):
                    pendingComma = nil
                    skipString()
                case UInt8(ascii: "/") where next == UInt8(ascii: "/"):
                    blankLine()
                case UInt8(ascii: "/") where next == UInt8(ascii: "*"):
                    blankBlock()
                case UInt8(ascii: ","):
                    pendingComma = index
                    index += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    if let pendingComma { bytes[pendingComma] = UInt8(ascii: " ") }
                    pendingComma = nil
                    index += 1
                case 0x09, 0x0A, 0x0D, 0x20:
                    index += 1
                default:
                    pendingComma = nil
                    index += 1
                }
            }
        }

        private var next: UInt8? { index + 1 < bytes.count ? bytes[index + 1] : nil }

        private mutating func skipString() {
            index += 1
            while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
                index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
            }
            index += 1
        }

        private mutating func blankLine() {
            while index < bytes.count, bytes[index] != 0x0A { blank() }
        }

        private mutating func blankBlock() {
            blank()
            blank()
            while index < bytes.count {
                let isEnd = bytes[index] == UInt8(ascii: "*") && next == UInt8(ascii: "/")
                if isEnd { blank() }
                blank()
                if isEnd { return }
            }
        }

        private mutating func blank() {
            if bytes[index] != 0x0A { bytes[index] = UInt8(ascii: " ") }
            index += 1
        }
    }
}
