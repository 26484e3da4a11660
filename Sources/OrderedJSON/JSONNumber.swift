/// A JSON number, kept with the digits it was written with.
public struct JSONNumber: Hashable, Sendable {
    /// The number as written, in the grammar of RFC 8259 section 6.
    public let text: String

    /// A number whose text a parser has already checked.
    init(checkedText: String) { text = checkedText }

    /// An integer.
    public init(_ value: some BinaryInteger) { text = String(value) }

    /// The exact integer, or nil where this is none (`1.5`) or does not fit 64 bits.
    public var intValue: Int? { Int(text) }

    /// The nearest double, or nil where it would be infinite.
    public var doubleValue: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }
}
