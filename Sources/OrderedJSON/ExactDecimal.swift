/// The value of a JSON number in normal form: `digits` × 10^`exponent`, never rounded.
///
/// Equal values have equal normal forms, however they were written. Nothing here takes more
/// time or space than the number's text, whatever its exponent.
struct ExactDecimal: Hashable, Sendable {
    /// The most digits an exponent may be written with, leading zeros aside.
    static let exponentDigits = 18

    /// Whether the value is below zero.
    let isNegative: Bool
    /// ASCII digits, neither the first nor the last of them 0; none for zero.
    let digits: [UInt8]
    /// The power of ten; 0 for zero.
    let exponent: Int

    /// The value of a number's text, whose grammar was checked.
    init(_ text: String) {
        var digits: [UInt8] = []
        digits.reserveCapacity(text.utf8.count)
        var exponent = 0
        var written = 0
        var inFraction = false
        var inExponent = false
        var exponentIsNegative = false
        var isNegative = false
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"):
                if inExponent { exponentIsNegative = true } else { isNegative = true }
            case UInt8(ascii: "."): inFraction = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"): inExponent = true
            case UInt8(ascii: "+"): break
            default:
                if inExponent {
                    written = written * 10 + Int(byte - UInt8(ascii: "0"))
                } else {
                    if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
                    if inFraction { exponent -= 1 }
                }
            }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            exponent += 1
        }
        self.digits = digits
        self.isNegative = isNegative && !digits.isEmpty
        self.exponent = digits.isEmpty ? 0 : exponent + (exponentIsNegative ? -written : written)
    }

    /// Where the decimal point stands in `digits`; outside them where it is negative or large.
    var point: Int { digits.count + exponent }

    /// Whether the value has no fraction.
    var isInteger: Bool { exponent >= 0 }

    /// The one text all numbers of this value share: the layout of ECMAScript's
    /// `Number::toString`, which RFC 8785 section 3.2.2.3 uses, with all digits kept.
    func appendCanonical(to bytes: inout [UInt8]) {
        let zero = UInt8(ascii: "0")
        if digits.isEmpty { return bytes.append(zero) }
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        if exponent >= 0 && point <= 21 {
            bytes += digits
            bytes.append(contentsOf: repeatElement(zero, count: exponent))
        } else if 0 < point && point <= 21 {
            bytes += digits[..<point]
            bytes.append(UInt8(ascii: "."))
            bytes += digits[point...]
        } else if -6 < point && point <= 0 {
            bytes += [zero, UInt8(ascii: ".")]
            bytes.append(contentsOf: repeatElement(zero, count: -point))
            bytes += digits
        } else {
            bytes.append(digits[0])
            if digits.count > 1 {
                bytes.append(UInt8(ascii: "."))
                bytes += digits[1...]
            }
            bytes.append(UInt8(ascii: "e"))
            if point > 0 { bytes.append(UInt8(ascii: "+")) }
            bytes += String(point - 1).utf8
        }
    }
}

extension ExactDecimal: Comparable {
    /// Whether the first value is less.
    static func < (first: Self, second: Self) -> Bool {
        let signs = (first.sign, second.sign)
        if signs.0 != signs.1 { return signs.0 < signs.1 }
        return first.isNegative
            ? second.isSmaller(than: first) : first.isSmaller(than: second)
    }

    private var sign: Int { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

    /// Compares magnitudes.
    private func isSmaller(than other: Self) -> Bool {
        if point != other.point { return point < other.point }
        return digits.lexicographicallyPrecedes(other.digits)
    }
}

extension ExactDecimal {
    /// Whether this is a whole multiple of `other`; nil where that is zero or has more than 18
    /// digits.
    func isMultiple(of other: Self) -> Bool? {
        guard (1...18).contains(other.digits.count) else { return nil }
        if digits.isEmpty { return true }
        // Digits in normal form do not end in 0, so no power of ten divides them.
        guard exponent >= other.exponent else { return false }
        let divisor = Self.integer(other.digits, modulo: .max)
        let digits = Self.integer(digits, modulo: divisor)
        let scale = Self.powerOfTen(UInt64(exponent - other.exponent), modulo: divisor)
        return Self.product(digits, scale, modulo: divisor) == 0
    }

    private static func integer(_ digits: [UInt8], modulo divisor: UInt64) -> UInt64 {
        var value: UInt64 = 0
        for digit in digits {
            value = (product(value, 10, modulo: divisor) + UInt64(digit & 0xF)) % divisor
        }
        return value
    }

    private static func powerOfTen(_ exponent: UInt64, modulo divisor: UInt64) -> UInt64 {
        var (result, base, exponent) = (1 % divisor, 10 % divisor, exponent)
        while exponent > 0 {
            if exponent & 1 == 1 { result = product(result, base, modulo: divisor) }
            base = product(base, base, modulo: divisor)
            exponent >>= 1
        }
        return result
    }

    /// Both factors are less than `divisor`, or the product fits anyway.
    private static func product(_ first: UInt64, _ second: UInt64, modulo divisor: UInt64) -> UInt64
    {
        divisor.dividingFullWidth((first % divisor).multipliedFullWidth(by: second % divisor))
            .remainder
    }
}
