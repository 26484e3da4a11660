/// One header or trailer field: where its name and its value lie (RFC 9112, section 5).
struct FieldLine {
    let name: Range<Int>
    /// Without the blanks around it.
    let value: Range<Int>

    /// Checks the line that lies at `line` in `bytes`.
    init(_ bytes: [UInt8], _ line: Range<Int>) throws(HTTPRefusal) {
        guard let first = bytes[line].first, first != OctetClass.space, first != OctetClass.tab
        else { throw .malformed("A header field must not go on in a second line.") }
        guard let colon = bytes[line].firstIndex(of: UInt8(ascii: ":")) else {
            throw .malformed("A header field needs a colon.")
        }
        name = line.lowerBound..<colon
        guard !name.isEmpty, bytes[name].allSatisfy(OctetClass.isToken) else {
            throw .malformed("A header field's name must be a token right before its colon.")
        }
        var value = (colon + 1)..<line.upperBound
        while let octet = bytes[value].first, octet == OctetClass.space || octet == OctetClass.tab {
            value = (value.lowerBound + 1)..<value.upperBound
        }
        while let octet = bytes[value].last, octet == OctetClass.space || octet == OctetClass.tab {
            value = value.lowerBound..<(value.upperBound - 1)
        }
        guard bytes[value].allSatisfy(OctetClass.isFieldValue) else {
            throw .malformed("A header field's value must have no control characters.")
        }
        self.value = value
    }
}
