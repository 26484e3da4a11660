/// Writes values as UTF-8 JSON.
struct JSONWriter {
    enum Style {
        case compact, pretty, canonical
    }

    let style: Style
    private(set) var bytes: [UInt8] = []
    private var depth = 0

    init(style: Style) { self.style = style }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .number(let number):
            if style == .canonical {
                number.exact.appendCanonical(to: &bytes)
            } else {
                bytes += number.text.utf8
            }
        case .string(let string): write(string)
        case .array(let elements): write(elements)
        case .object(let object):
            write(
                style == .canonical
                    ? object.members.sorted { precedesInUTF16($0.key, $1.key) } : object.members)
        }
    }

    private mutating func write(_ elements: [JSONValue]) {
        bytes.append(UInt8(ascii: "["))
        depth += 1
        for index in elements.indices {
            separate(isFirst: index == 0)
            write(elements[index])
        }
        close(UInt8(ascii: "]"), isEmpty: elements.isEmpty)
    }

    private mutating func write(_ members: [JSONObject.Member]) {
        bytes.append(UInt8(ascii: "{"))
        depth += 1
        for index in members.indices {
            separate(isFirst: index == 0)
            write(members[index].key)
            bytes.append(UInt8(ascii: ":"))
            if style == .pretty { bytes.append(UInt8(ascii: " ")) }
            write(members[index].value)
        }
        close(UInt8(ascii: "}"), isEmpty: members.isEmpty)
    }

    private mutating func separate(isFirst: Bool) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        if style == .pretty { breakLine() }
    }

    private mutating func close(_ bracket: UInt8, isEmpty: Bool) {
        depth -= 1
        if style == .pretty && !isEmpty { breakLine() }
        bytes.append(bracket)
    }

    private mutating func breakLine() {
        bytes.append(0x0A)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    /// Writes a string with the escapes of RFC 8785 section 3.2.2.2, the fewest there can be.
    private mutating func write(_ string: String) {
        bytes.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { buffer in
            var start = 0
            for index in buffer.indices {
                let byte = unsafe buffer[index]
                if byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
                    continue
                }
                unsafe bytes.append(
                    contentsOf: UnsafeBufferPointer(rebasing: buffer[start..<index]))
                Self.appendEscape(byte, to: &bytes)
                start = index + 1
            }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[start...]))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0..<0x20:
            let low = byte & 0xF
            bytes += "u00".utf8
            bytes.append(UInt8(ascii: "0") + byte >> 4)
            bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        default: bytes.append(byte)
        }
    }
}

/// Whether `first` comes before `second` by UTF-16 code units, as RFC 8785 sorts keys.
///
/// UTF-8 sorts by code point, which differs only in that UTF-16 puts everything above U+FFFF,
/// as surrogates, before U+E000 to U+FFFF.
func precedesInUTF16(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8) { order($0) < order($1) }
}

/// Moves the lead bytes of U+E000 to U+FFFF behind those of the planes above.
private func order(_ byte: UInt8) -> UInt8 { byte == 0xEE || byte == 0xEF ? byte + 0x10 : byte }
