/// Reads one JSON text into a ``JSONValue``, without recursion.
///
/// Open arrays and objects are frames on a stack of our own, so no input can exhaust the
/// thread's. Safe: every read is at a position below `count`, of a buffer that the caller keeps
/// alive while the parser lives.
@safe
struct JSONParser: ~Copyable {
    /// An array or object that is still open.
    struct Frame {
        let isObject: Bool
        /// How many elements, or members, the stack held when it was opened.
        let start: Int
    }

    /// What identifies a key cheaply, and where it was read.
    struct KeyMark {
        let fingerprint: UInt64
        let offset: Int
    }

    let base: UnsafePointer<UInt8>
    let count: Int
    let limits: JSONLimits
    var position = 0
    /// A decoded string that has escapes; kept for its capacity.
    var scratch: [UInt8] = []
    private var valuesLeft: Int
    private var frames = MoveStack<Frame>(capacity: 16)
    private var elements = MoveStack<JSONValue>(capacity: 32)
    private var members = MoveStack<JSONObject.Member>(capacity: 64)
    private var marks = MoveStack<KeyMark>(capacity: 64)

    init(_ buffer: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
        // An empty buffer may have no address; any address will do, as none of it is read.
        unsafe base = buffer.baseAddress ?? UnsafePointer(Self.nowhere)
        count = buffer.count
        self.limits = limits
        valuesLeft = limits.values
    }

    // Unsafe: only its address is used; nobody reads or writes the byte there.
    private nonisolated(unsafe) static let nowhere = UnsafeMutablePointer<UInt8>.allocate(
        capacity: 1)

    /// Reads the whole text.
    mutating func parseText() throws(JSONError) -> JSONValue {
        guard count <= limits.bytes else { throw .tooLong(limits.bytes) }
        if count >= 3, byte(0) == 0xEF, byte(1) == 0xBB, byte(2) == 0xBF { throw .byteOrderMark() }
        while true {
            guard var value = try parseValueOrOpen() else { continue }
            // A value is complete: it ends its container, and that one the next, or a comma
            // follows it.
            while frames.count > 0 {
                guard let closed = try attach(value) else { break }
                value = closed
            }
            if frames.count == 0 {
                skipWhitespace()
                guard position == count else { throw .trailingData(at: position) }
                return value
            }
        }
    }

    /// Reads a value; nil where it opened an array or object whose first value comes next.
    @inline(__always)
    private mutating func parseValueOrOpen() throws(JSONError) -> JSONValue? {
        skipWhitespace()
        guard position < count else { throw .unexpectedEnd("a value", at: position) }
        guard valuesLeft > 0 else { throw .tooManyValues(limits.values, at: position) }
        valuesLeft -= 1
        switch byte(position) {
        case UInt8(ascii: "\""):
            return .string(unsafe String(decoding: try scanString(), as: UTF8.self))
        case UInt8(ascii: "{"): return try openObject()
        case UInt8(ascii: "["): return try openArray()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try parseNumber())
        case UInt8(ascii: "t"): return try parseLiteral("true", .bool(true))
        case UInt8(ascii: "f"): return try parseLiteral("false", .bool(false))
        case UInt8(ascii: "n"): return try parseLiteral("null", .null)
        default: throw .unexpectedByte("a value", at: position)
        }
    }

    @inline(__always)
    private mutating func openObject() throws(JSONError) -> JSONValue? {
        guard frames.count < limits.depth else { throw .tooDeep(limits.depth, at: position) }
        position += 1
        skipWhitespace()
        if position < count, byte(position) == UInt8(ascii: "}") {
            position += 1
            return .object(JSONObject())
        }
        frames.push(Frame(isObject: true, start: members.count))
        try parseKey(expecting: "a key or }")
        return nil
    }

    @inline(__always)
    private mutating func openArray() throws(JSONError) -> JSONValue? {
        guard frames.count < limits.depth else { throw .tooDeep(limits.depth, at: position) }
        position += 1
        skipWhitespace()
        if position < count, byte(position) == UInt8(ascii: "]") {
            position += 1
            return .array([])
        }
        frames.push(Frame(isObject: false, start: elements.count))
        return nil
    }

    /// Reads a key and its colon, and pushes a member that still lacks its value.
    @inline(__always)
    private mutating func parseKey(expecting expected: String) throws(JSONError) {
        skipWhitespace()
        guard position < count else { throw .unexpectedEnd(expected, at: position) }
        guard byte(position) == UInt8(ascii: "\"") else {
            throw .unexpectedByte(expected, at: position)
        }
        let offset = position
        let bytes = unsafe try scanString()
        marks.push(KeyMark(fingerprint: unsafe Self.fingerprint(bytes), offset: offset))
        let key = unsafe String(decoding: bytes, as: UTF8.self)
        members.push(JSONObject.Member(key: key, value: .null))
        skipWhitespace()
        guard position < count else { throw .unexpectedEnd("a colon", at: position) }
        guard byte(position) == UInt8(ascii: ":") else {
            throw .unexpectedByte("a colon", at: position)
        }
        position += 1
    }

    /// Adds a value to the innermost container; returns that container where it ends here.
    @inline(__always)
    private mutating func attach(_ value: consuming JSONValue) throws(JSONError) -> JSONValue? {
        let frame = frames[frames.count - 1]
        if frame.isObject {
            members.withTop { $0.value = value }
        } else {
            elements.push(value)
        }
        skipWhitespace()
        let expected: StaticString = frame.isObject ? "a comma or }" : "a comma or ]"
        guard position < count else { throw .unexpectedEnd("\(expected)", at: position) }
        switch byte(position) {
        case UInt8(ascii: ","):
            position += 1
            if frame.isObject { try parseKey(expecting: "a key") }
            return nil
        case UInt8(ascii: "}") where frame.isObject:
            position += 1
            frames.drop(to: frames.count - 1)
            return .object(try closeObject(from: frame.start))
        case UInt8(ascii: "]") where !frame.isObject:
            position += 1
            frames.drop(to: frames.count - 1)
            return .array(elements.take(from: frame.start))
        default: throw .unexpectedByte("\(expected)", at: position)
        }
    }

    /// Takes the members of an object that ends, once no key is there twice.
    private mutating func closeObject(from start: Int) throws(JSONError) -> JSONObject {
        let taken = members.count - start
        if taken <= KeyIndex.threshold {
            for later in start + 1..<max(members.count, start + 1) {
                let fingerprint = marks[later].fingerprint
                for earlier in start..<later
                where marks[earlier].fingerprint == fingerprint
                    && sameBytes(members[earlier].key, members[later].key)
                {
                    throw .duplicateKey(at: marks[later].offset)
                }
            }
            marks.drop(to: start)
            return JSONObject(distinct: members.take(from: start), index: nil)
        }
        let list = members.take(from: start)
        let (index, duplicate) = KeyIndex.build(list)
        if let duplicate { throw .duplicateKey(at: marks[start + duplicate].offset) }
        marks.drop(to: start)
        return JSONObject(distinct: list, index: index)
    }
}
