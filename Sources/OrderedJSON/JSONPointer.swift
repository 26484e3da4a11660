/// A place inside a JSON value: RFC 6901.
///
/// Pointers are compared by the UTF-8 bytes of their tokens, as keys are.
public struct JSONPointer: Sendable {
    /// The reference tokens, decoded, outermost first; none for the whole value.
    public var tokens: [String]

    /// A pointer of these tokens.
    public init(tokens: [String] = []) { self.tokens = tokens }

    /// Reads a pointer such as `/a/0`, or `#/a/0` as it stands in a URI fragment.
    ///
    /// - Throws: ``JSONError``: `.invalidPointer`, with the offset into `text`.
    public init(parsing text: String) throws(JSONError) {
        var bytes = Array(text.utf8)[...]
        let isFragment = bytes.first == UInt8(ascii: "#")
        if isFragment { bytes.removeFirst() }
        tokens = []
        guard let first = bytes.first else { return }
        guard first == UInt8(ascii: "/") else {
            throw .invalidPointer("a slash", at: bytes.startIndex)
        }
        while let _ = bytes.popFirst() {
            let end = bytes.firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
            tokens.append(try Self.token(bytes[..<end], isFragment: isFragment))
            bytes = bytes[end...]
        }
    }

    /// Decodes what stands between two slashes.
    private static func token(
        _ bytes: ArraySlice<UInt8>, isFragment: Bool
    ) throws(JSONError) -> String {
        let bytes =
            isFragment
            ? try percentDecoded(bytes)
            : Array(bytes).enumerated().map {
                ($0.element, bytes.startIndex + $0.offset)
            }
        var token: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let (byte, offset) = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "~") else {
                token.append(byte)
                continue
            }
            switch index < bytes.count ? bytes[index].byte : 0 {
            case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
            case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
            default: throw .invalidPointer("0 or 1 after ~", at: offset + 1)
            }
            index += 1
        }
        guard let text = String(validating: token, as: UTF8.self) else {
            throw .invalidPointer("UTF-8", at: bytes[0].offset)
        }
        return text
    }

    /// Decodes the `%XX` of a URI; gives each byte with the offset it was read at.
    private static func percentDecoded(
        _ bytes: ArraySlice<UInt8>
    ) throws(JSONError) -> [(byte: UInt8, offset: Int)] {
        var result: [(UInt8, Int)] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            guard bytes[index] == UInt8(ascii: "%") else {
                result.append((bytes[index], index))
                index += 1
                continue
            }
            let digits = bytes[index...].dropFirst().prefix(2).map { Character(Unicode.Scalar($0)) }
            guard digits.count == 2, let high = digits[0].hexDigitValue,
                let low = digits[1].hexDigitValue
            else { throw .invalidPointer("two hex digits after %", at: index + 1) }
            result.append((UInt8(high << 4 | low), index))
            index += 3
        }
        return result
    }

    /// The place of a member or element inside this one.
    public func appending(_ token: String) -> JSONPointer { JSONPointer(tokens: tokens + [token]) }

    /// The place of an element inside this one.
    public func appending(_ index: Int) -> JSONPointer { appending(String(index)) }
}

extension JSONPointer: Hashable {
    /// Whether both name the same place.
    public static func == (first: Self, second: Self) -> Bool {
        first.tokens.count == second.tokens.count
            && zip(first.tokens, second.tokens).allSatisfy(sameBytes)
    }

    /// Feeds the tokens.
    public func hash(into hasher: inout Hasher) {
        for token in tokens { combineBytes(of: token, into: &hasher) }
    }
}

extension JSONPointer: CustomStringConvertible {
    /// The pointer as RFC 6901 writes it: empty for the whole value.
    public var description: String {
        var bytes: [UInt8] = []
        for token in tokens {
            bytes.append(UInt8(ascii: "/"))
            for byte in token.utf8 {
                switch byte {
                case UInt8(ascii: "~"): bytes += "~0".utf8
                case UInt8(ascii: "/"): bytes += "~1".utf8
                default: bytes.append(byte)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension JSONPointer: ExpressibleByArrayLiteral {
    /// A pointer of these tokens.
    public init(arrayLiteral elements: String...) { self.init(tokens: elements) }
}

extension JSONValue {
    /// The value at a place inside this one, or nil where there is none.
    ///
    /// `-`, the element after the last, is never there.
    public subscript(pointer: JSONPointer) -> JSONValue? {
        var value = self
        for token in pointer.tokens {
            switch value {
            case .object(let object):
                guard let member = object[token] else { return nil }
                value = member
            case .array(let elements):
                guard let index = Self.index(token), index < elements.count else { return nil }
                value = elements[index]
            default: return nil
            }
        }
        return value
    }

    /// An array index as RFC 6901 section 4 writes it: without leading zeros or signs.
    private static func index(_ token: String) -> Int? {
        guard token.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
            token.utf8.count == 1 || token.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(token)
    }
}
