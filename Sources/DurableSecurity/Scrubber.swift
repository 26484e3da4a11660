internal import OpenSSLCrypto
public import OrderedJSON

/// Takes secret values out of whatever is about to be shown, sent on or kept.
///
/// It finds a value as it is, as JSON writes it inside a string, and inside Base64. It cannot
/// find one that was transformed in another way, so it is a net, not a permission to pass secrets.
/// Text that arrives in pieces must be given line by line or whole, since a value that is cut in
/// two is not found.
public struct Scrubber: Sendable {
    /// What stands where a secret was.
    public static let replacement = "[secret]"

    /// The shortest value, in bytes, that is scrubbed although it was written as a literal.
    public static let literalBytesMinimum = 8

    /// The patterns by their first byte, longest first.
    private var patterns: [UInt8: [[UInt8]]] = [:]
    private var known: Set<[UInt8]> = []

    /// A scrubber that knows no secret.
    public init() {}

    /// Whether it knows no secret.
    public var isEmpty: Bool { known.isEmpty }

    /// Learns the values of a resolved text: each reference, and the whole from 8 bytes on.
    public mutating func add(_ secret: ResolvedSecret) {
        for reference in secret.references { add(reference) }
        if secret.value.utf8.count >= Self.literalBytesMinimum { add(secret.value) }
    }

    /// Learns one value, however short; an empty one is ignored.
    public mutating func add(_ value: String) {
        addForms(of: Array(value.utf8))
        // A key in several lines may come back a line at a time.
        let lines = value.split(whereSeparator: \.isNewline)
        if lines.count > 1 {
            for line in lines where line.utf8.count >= Self.literalBytesMinimum {
                addForms(of: Array(line.utf8))
            }
        }
    }

    /// Learns all that another scrubber knows.
    public mutating func add(contentsOf other: Scrubber) {
        for pattern in other.known { addPattern(pattern) }
    }

    /// The bytes with every known value replaced.
    public func scrub(_ bytes: [UInt8]) -> [UInt8] {
        guard !isEmpty else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let match = patterns[bytes[index]]?.first { pattern in
                pattern.count <= bytes.count - index
                    && bytes[index..<(index + pattern.count)].elementsEqual(pattern)
            }
            if let match {
                result += Self.replacement.utf8
                index += match.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// The text with every known value replaced.
    public func scrub(_ text: String) -> String {
        guard !isEmpty else { return text }
        return String(decoding: scrub(Array(text.utf8)), as: UTF8.self)
    }

    /// The value with every known value replaced, in keys too.
    ///
    /// A number that is written exactly like a secret becomes the replacement, a string.
    public func scrub(_ value: JSONValue) -> JSONValue {
        guard !isEmpty else { return value }
        switch value {
        case .null, .bool:
            return value
        case .number(let number):
            return known.contains(Array(number.text.utf8)) ? .string(Self.replacement) : value
        case .string(let text):
            return .string(scrub(text))
        case .array(let elements):
            return .array(elements.map { scrub($0) })
        case .object(let object):
            return .object(
                JSONObject(object.members.map { (scrub($0.key), scrub($0.value)) }))
        }
    }
}

extension Scrubber {
    private mutating func addForms(of value: [UInt8]) {
        addPattern(value)
        addPattern(Self.escapedForJSON(value, escapingSlash: false))
        addPattern(Self.escapedForJSON(value, escapingSlash: true))
        for form in Self.base64Forms(of: value) { addPattern(form) }
    }

    private mutating func addPattern(_ pattern: [UInt8]) {
        guard let first = pattern.first, known.insert(pattern).inserted else { return }
        patterns[first, default: []].append(pattern)
        patterns[first]?.sort { $0.count > $1.count }
    }

    /// The inside of the JSON string, as most writers escape it.
    private static func escapedForJSON(_ value: [UInt8], escapingSlash: Bool) -> [UInt8] {
        var result: [UInt8] = []
        for byte in value {
            switch byte {
            case UInt8(ascii: "\""): result += Array("\\\"".utf8)
            case UInt8(ascii: "\\"): result += Array("\\\\".utf8)
            case UInt8(ascii: "/") where escapingSlash: result += Array("\\/".utf8)
            case 0x08: result += Array("\\b".utf8)
            case 0x09: result += Array("\\t".utf8)
            case 0x0A: result += Array("\\n".utf8)
            case 0x0C: result += Array("\\f".utf8)
            case 0x0D: result += Array("\\r".utf8)
            case 0..<0x20: result += Array("\\u00".utf8) + Array(Hex.encode([byte]).utf8)
            default: result.append(byte)
            }
        }
        return result
    }

    /// The characters that the value gives inside any Base64 text, wherever in it it stands.
    ///
    /// Base64 turns three bytes into four characters, so there are three ways to be aligned. The
    /// characters at either end that neighbours have a share in are left out, and what remains
    /// must be long enough not to be met by chance.
    private static func base64Forms(of value: [UInt8]) -> [[UInt8]] {
        guard value.count >= literalBytesMinimum else { return [] }
        var forms: [[UInt8]] = []
        for lead in 0..<3 {
            let text = Base64URL.encode([UInt8](repeating: 0, count: lead) + value)
            let sharedAtStart = [0, 2, 3][lead]
            let sharedAtEnd = (lead + value.count).isMultiple(of: 3) ? 0 : 1
            let own = Array(text.utf8.dropFirst(sharedAtStart).dropLast(sharedAtEnd))
            forms.append(own)
            forms.append(
                own.map { byte in
                    switch byte {
                    case UInt8(ascii: "-"): UInt8(ascii: "+")
                    case UInt8(ascii: "_"): UInt8(ascii: "/")
                    default: byte
                    }
                })
        }
        return forms
    }
}
