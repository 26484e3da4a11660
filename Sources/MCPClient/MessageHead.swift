internal import MCPProtocol
internal import OrderedJSON

/// Finds out what can be known from the beginning of a message that was too large to read.
enum MessageHead {
    /// The id of a message, where it stands before anything large.
    static func id(in head: [UInt8]) -> RequestID? {
        var depth = 0
        var index = 0
        var key: ArraySlice<UInt8>?
        while index < head.count {
            switch head[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                guard let end = endOfString(in: head, from: index) else { return nil }
                if depth == 1, key == nil {
                    key = head[index...end]
                } else if depth == 1, key.map(Array.init) == Array("\"id\"".utf8) {
                    return value(head[index...end])
                }
                index = end
            case UInt8(ascii: ",") where depth == 1:
                key = nil
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let end = head[index...].firstIndex { !isNumberByte($0) } ?? head.count
                if depth == 1, end < head.count, key.map(Array.init) == Array("\"id\"".utf8) {
                    return value(head[index..<end])
                }
                index = end - 1
            default: break
            }
            index += 1
        }
        return nil
    }

    private static func value(_ bytes: ArraySlice<UInt8>) -> RequestID? {
        // What is no JSON here is no id either, and the message stays without one.
        (try? JSONValue(parsing: Array(bytes))).flatMap(RequestID.init)
    }

    private static func endOfString(in bytes: [UInt8], from start: Int) -> Int? {
        var index = start + 1
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "\"") { return index }
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return nil
    }

    private static func isNumberByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || [
                UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"),
                UInt8(ascii: "E"),
            ].contains(byte)
    }
}
