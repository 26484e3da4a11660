/// Why text was refused as JSON, or as a JSON Pointer, and where.
public struct JSONError: Error, Hashable, Sendable {
    /// What was wrong.
    public enum Code: String, Sendable {
        /// The text ended inside a value, or held none.
        case unexpectedEnd
        /// A byte that cannot stand where it stands.
        case unexpectedByte
        /// Something follows the value.
        case trailingData
        /// The text begins with a byte order mark.
        case byteOrderMark
        /// A string holds a control character that was not escaped.
        case controlCharacter
        /// A backslash is followed by something that is no escape.
        case invalidEscape
        /// An escaped surrogate has no other half.
        case loneSurrogate
        /// Bytes in a string are no UTF-8.
        case invalidUTF8
        /// A number breaks the grammar of RFC 8259 section 6.
        case invalidNumber
        /// An exponent has more than 18 digits.
        case exponentTooLarge
        /// An object names a key twice.
        case duplicateKey
        /// Arrays and objects are nested deeper than ``JSONLimits/depth``.
        case tooDeep
        /// The text is longer than ``JSONLimits/bytes``.
        case tooLong
        /// A number is longer than ``JSONLimits/numberBytes``.
        case numberTooLong
        /// There are more values than ``JSONLimits/values``.
        case tooManyValues
        /// A JSON Pointer breaks the grammar of RFC 6901.
        case invalidPointer
    }

    /// What was wrong.
    public let code: Code

    /// The offset of the byte that was refused, counted from 0; the length of the text where it
    /// ended too early.
    public let offset: Int

    /// What was expected and the remedy, never a part of the text.
    public let message: String
}

extension JSONError: CustomStringConvertible {
    /// The message and the offset.
    public var description: String { "\(message) (at byte \(offset))" }
}

extension JSONError {
    static func unexpectedEnd(_ expected: String, at offset: Int) -> Self {
        Self(
            code: .unexpectedEnd, offset: offset,
            message: "The text ends where \(expected) must follow.")
    }

    static func unexpectedByte(_ expected: String, at offset: Int) -> Self {
        Self(code: .unexpectedByte, offset: offset, message: "Expected \(expected).")
    }

    static func trailingData(at offset: Int) -> Self {
        Self(code: .trailingData, offset: offset, message: "Only white space may follow the value.")
    }

    static func byteOrderMark() -> Self {
        Self(
            code: .byteOrderMark, offset: 0,
            message: "The text begins with a byte order mark. Save it as UTF-8 without one.")
    }

    static func controlCharacter(at offset: Int) -> Self {
        Self(
            code: .controlCharacter, offset: offset,
            message: "A control character in a string must be written as an escape.")
    }

    static func invalidEscape(at offset: Int) -> Self {
        Self(
            code: .invalidEscape, offset: offset,
            message:
                #"A backslash must be followed by one of "\/bfnrt or by u and four hex digits."#)
    }

    static func loneSurrogate(at offset: Int) -> Self {
        Self(
            code: .loneSurrogate, offset: offset,
            message: "An escaped surrogate must be one half of a pair, high half first.")
    }

    static func invalidUTF8(at offset: Int) -> Self {
        Self(code: .invalidUTF8, offset: offset, message: "The bytes are not valid UTF-8.")
    }

    static func invalidNumber(_ expected: String, at offset: Int) -> Self {
        Self(code: .invalidNumber, offset: offset, message: "A number needs \(expected) here.")
    }

    static func exponentTooLarge(at offset: Int) -> Self {
        Self(
            code: .exponentTooLarge, offset: offset,
            message: "An exponent may have at most \(ExactDecimal.exponentDigits) digits.")
    }

    static func duplicateKey(at offset: Int) -> Self {
        Self(code: .duplicateKey, offset: offset, message: "The object already has this key.")
    }

    static func tooDeep(_ limit: Int, at offset: Int) -> Self {
        Self(
            code: .tooDeep, offset: offset,
            message: "Arrays and objects may be nested at most \(limit) deep.")
    }

    static func tooLong(_ limit: Int) -> Self {
        Self(code: .tooLong, offset: limit, message: "The text may have at most \(limit) bytes.")
    }

    static func numberTooLong(_ limit: Int, at offset: Int) -> Self {
        Self(
            code: .numberTooLong, offset: offset,
            message: "A number may have at most \(limit) characters.")
    }

    static func tooManyValues(_ limit: Int, at offset: Int) -> Self {
        Self(
            code: .tooManyValues, offset: offset,
            message: "The text may hold at most \(limit) values.")
    }

    static func invalidPointer(_ expected: String, at offset: Int) -> Self {
        Self(
            code: .invalidPointer, offset: offset, message: "A JSON Pointer needs \(expected) here."
        )
    }
}
