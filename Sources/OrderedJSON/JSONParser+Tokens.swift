extension JSONParser {
    @inline(__always)
    func byte(_ offset: Int) -> UInt8 { unsafe base[offset] }

    @inline(__always)
    mutating func skipWhitespace() {
        while position < count {
            switch byte(position) {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// Reads one of the three literals.
    mutating func parseLiteral(
        _ literal: StaticString, _ value: JSONValue
    ) throws(JSONError) -> JSONValue {
        for index in 0..<literal.utf8CodeUnitCount {
            guard position + index < count else {
                throw .unexpectedEnd("\(literal)", at: count)
            }
            guard unsafe byte(position + index) == literal.utf8Start[index] else {
                throw .unexpectedByte("\(literal)", at: position + index)
            }
        }
        position += literal.utf8CodeUnitCount
        return value
    }

    /// Reads a number in the grammar of RFC 8259 section 6.
    mutating func parseNumber() throws(JSONError) -> JSONNumber {
        let start = position
        if byte(position) == UInt8(ascii: "-") { position += 1 }
        let leading = position
        let whole = skipDigits()
        if whole == 0 { throw missingDigits() }
        if whole > 1, byte(leading) == UInt8(ascii: "0") {
            throw .invalidNumber("no leading zero", at: leading)
        }
        if position < count, byte(position) == UInt8(ascii: ".") {
            position += 1
            if skipDigits() == 0 { throw missingDigits() }
        }
        if position < count, byte(position) | 0x20 == UInt8(ascii: "e") {
            position += 1
            try parseExponent()
        }
        guard position - start <= limits.numberBytes else {
            throw .numberTooLong(limits.numberBytes, at: start)
        }
        let text = unsafe UnsafeBufferPointer(start: base + start, count: position - start)
        return JSONNumber(checkedText: unsafe String(decoding: text, as: UTF8.self))
    }

    private mutating func parseExponent() throws(JSONError) {
        if position < count,
            byte(position) == UInt8(ascii: "+") || byte(position) == UInt8(ascii: "-")
        {
            position += 1
        }
        let start = position
        while position < count, byte(position) == UInt8(ascii: "0") { position += 1 }
        let significant = skipDigits()
        if position == start { throw missingDigits() }
        guard significant <= ExactDecimal.exponentDigits else { throw .exponentTooLarge(at: start) }
    }

    /// Moves past digits; returns how many.
    @inline(__always)
    private mutating func skipDigits() -> Int {
        let start = position
        while position < count, byte(position) &- UInt8(ascii: "0") <= 9 { position += 1 }
        return position - start
    }

    private func missingDigits() -> JSONError {
        position < count
            ? .invalidNumber("a digit", at: position) : .unexpectedEnd("a digit", at: position)
    }
}
