/// A JSON number, kept with the digits it was written with.
public struct JSONNumber: Hashable, Sendable {
    /// The number as written, in the grammar of RFC 8259 section 6.
    public let text: String

    /// A number whose text a parser has already checked.
    init(checkedText: String) { text = checkedText }

    /// An integer.
    public init(_ value: some BinaryInteger) { text = String(value) }

    /// A finite double, with the fewest digits that read back as the same one; nil for
    /// infinities and NaN, which JSON cannot write.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = ExactDecimal(value.description).canonicalText
    }

    /// A number written in the grammar of RFC 8259 section 6.
    ///
    /// - Throws: ``JSONError``, the same as for a JSON text of just this number.
    public init(parsing text: String) throws(JSONError) {
        guard case .number(let number) = try JSONValue(parsing: text),
            number.text.utf8.count == text.utf8.count
        else { throw .invalidNumber("digits and nothing else", at: 0) }
        self = number
    }

    /// The exact integer, or nil where this is none (`1.5`) or does not fit 64 bits.
    ///
    /// `1.0` and `1e0` are the integer 1.
    public var intValue: Int? {
        if let value = Int(text) { return value }
        let exact = ExactDecimal(text)
        guard exact.isInteger, exact.point <= 19 else { return nil }
        return Int(exact.plainText)
    }

    /// The nearest double, or nil where it would be infinite.
    public var doubleValue: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// Whether the value has no fraction, as `1`, `1.0` and `1e400` have none.
    public var isInteger: Bool {
        text.utf8.allSatisfy { $0 <= UInt8(ascii: "9") && $0 != UInt8(ascii: ".") }
            || exact.isInteger
    }

    /// The one text that all numbers of this value share, as in ``JSONValue/canonicalBytes()``.
    public var canonicalText: String { exact.canonicalText }

    /// The exact value.
    var exact: ExactDecimal { ExactDecimal(text) }

    /// Whether both numbers have the same value, however they are written.
    public func hasValue(of other: JSONNumber) -> Bool { exact == other.exact }

    /// Whether this value is a whole multiple of the other, computed exactly; nil where the other
    /// is zero or has more than 18 significant digits.
    public func isMultiple(of other: JSONNumber) -> Bool? { exact.isMultiple(of: other.exact) }

    /// Whether this value is less than the other, compared exactly.
    public func isLess(than other: JSONNumber) -> Bool { exact < other.exact }
}

extension ExactDecimal {
    /// The canonical text.
    var canonicalText: String {
        var bytes: [UInt8] = []
        appendCanonical(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The digits of an integer, zeros and all; only for small exponents.
    fileprivate var plainText: String {
        let zeros = repeatElement(UInt8(ascii: "0"), count: exponent)
        return (isNegative ? "-" : "")
            + (digits.isEmpty ? "0" : String(decoding: digits + zeros, as: UTF8.self))
    }
}
