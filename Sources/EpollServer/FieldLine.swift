/// One header or trailer field: where its name and its value lie (RFC 9112, section 5).
struct FieldLine {
    let name: Range<Int>
    /// Without the blanks around it.
    let value: Range<Int>

    /// Checks the line that lies at `line` in `bytes`.
    init(_ bytes: [UInt8], _ line: Range<Int>) throws(HTTPRefusal) {
        var end = line.upperBound
        var start = line.lowerBound
        guard start < end, !Self.isBlank(bytes[start]) else {
            throw .malformed("A header field must not go on in a second line.")
        }
        while start < end, OctetClass.isToken(bytes[start]) { start += 1 }
        guard start < end, bytes[start] == UInt8(ascii: ":") else {
            throw .malformed("A header field's name must be a token right before its colon.")
        }
        name = line.lowerBound..<start
        guard !name.isEmpty else { throw .malformed("A header field needs a name.") }
        start += 1
        while start < end, Self.isBlank(bytes[start]) { start += 1 }
        while start < end, Self.isBlank(bytes[end - 1]) { end -= 1 }
        for index in start..<end where !OctetClass.isFieldValue(bytes[index]) {
            throw .malformed("A header field's value must have no control characters.")
        }
        value = start..<end
    }

    private static func isBlank(_ octet: UInt8) -> Bool {
        octet == OctetClass.space || octet == OctetClass.tab
    }
}
