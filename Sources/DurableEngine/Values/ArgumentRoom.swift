internal import OrderedJSON

/// How much room is left for the arguments of one call: templates multiply what they take, and
/// what is journaled must be read again.
struct ArgumentRoom {
    /// As many bytes as a message from a client may have.
    static let bytes = 4 << 20
    /// As deep as a message from a client may be, less what stands around its arguments.
    static let depth = 124

    private var left = Self.bytes

    /// Takes room for a value and all that is in it.
    mutating func take(_ value: JSONValue, at depth: Int) throws(EngineError) {
        switch value {
        case .null, .bool: try take(bytes: 5)
        case .number: try take(bytes: value.text.utf8.count + 1)
        case .string(let text): try take(text: text)
        case .array(let elements):
            try enter(depth)
            for element in elements { try take(element, at: depth + 1) }
        case .object(let object):
            try enter(depth)
            for member in object.members {
                try take(text: member.key)
                try take(member.value, at: depth + 1)
            }
        }
    }

    /// Takes room for a string with its quotes and escapes.
    mutating func take(text: String) throws(EngineError) {
        try take(bytes: text.utf8.count + 3)
        for byte in text.utf8 {
            switch byte {
            case 0..<0x20: try take(bytes: 5)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): try take(bytes: 1)
            default: break
            }
        }
    }

    private mutating func enter(_ depth: Int) throws(EngineError) {
        try take(bytes: 3)
        guard depth <= Self.depth else {
            throw .invalidScript("its arguments would be nested more than \(Self.depth) deep.")
        }
    }

    private mutating func take(bytes: Int) throws(EngineError) {
        left -= bytes
        guard left >= 0 else {
            throw .invalidScript("its arguments would have more than \(Self.bytes) bytes.")
        }
    }
}
