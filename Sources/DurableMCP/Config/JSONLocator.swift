internal import OrderedJSON

/// Finds where in a text a value stands, so that an error can say so.
///
/// The text must be JSON that a parser has accepted; the parser itself keeps no offsets, since
/// nobody but a config's author needs them.
struct JSONLocator {
    private let bytes: [UInt8]
    private var index = 0

    /// The offset of the member or element that `path` leads to, or of the deepest one on the way.
    static func offset(of path: [String], in text: [UInt8]) -> Int {
        var locator = JSONLocator(bytes: text)
        return locator.find(path[...])
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func find(_ path: ArraySlice<String>) -> Int {
        skipSpace()
        let start = index
        guard let wanted = path.first, index < bytes.count else { return start }
        switch bytes[index] {
        case UInt8(ascii: "{"):
            index += 1
            while advanceToItem() {
                let keyStart = index
                let key = string()
                skipSpace()
                index += 1  // The colon.
                if key == wanted {
                    return path.count == 1 ? keyStart : find(path.dropFirst())
                }
                skipValue()
            }
        case UInt8(ascii: "["):
            index += 1
            var number = 0
            while advanceToItem() {
                if String(number) == wanted { return find(path.dropFirst()) }
                skipValue()
                number += 1
            }
        default: break
        }
        return start
    }

    /// Moves to the next item of a list; false at its end.
    private mutating func advanceToItem() -> Bool {
        skipSpace()
        if index < bytes.count, bytes[index] == UInt8(ascii: ",") {
            index += 1
            skipSpace()
        }
        return index < bytes.count && bytes[index] != UInt8(ascii: "}")
            && bytes[index] != UInt8(ascii: "]")
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x09, 0x0A, 0x0D, 0x20].contains(bytes[index]) { index += 1 }
    }

    private mutating func string() -> String? {
        let start = index
        skipString()
        // What a parser has accepted parses again; were it not so, the key just is not found.
        return try? JSONValue(parsing: Array(bytes[start..<index])).stringValue
    }

    private mutating func skipString() {
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index + 1, bytes.count)
    }

    private mutating func skipValue() {
        skipSpace()
        var depth = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                skipString()
                if depth == 0 { return }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return }
                depth -= 1
                if depth == 0 {
                    index += 1
                    return
                }
            case UInt8(ascii: ",") where depth == 0:
                return
            default: break
            }
            index += 1
        }
    }
}
