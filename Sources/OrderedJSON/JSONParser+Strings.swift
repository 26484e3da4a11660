extension JSONParser {
    /// Reads a string from its opening to past its closing quote.
    ///
    /// - Returns: Its decoded bytes, valid UTF-8; they live until the next call.
    @inline(__always)
    mutating func scanString() throws(JSONError) -> UnsafeBufferPointer<UInt8> {
        position += 1
        let start = position
        skipPlain()
        if position < count, byte(position) == UInt8(ascii: "\"") {
            let plain = unsafe UnsafeBufferPointer(start: base + start, count: position - start)
            position += 1
            return unsafe plain
        }
        return unsafe try scanRest(from: start)
    }

    /// Reads on where a string is not plain ASCII.
    private mutating func scanRest(
        from start: Int
    ) throws(JSONError) -> UnsafeBufferPointer<UInt8> {
        scratch.removeAll(keepingCapacity: true)
        // Bytes from `copied` to `position` are checked, but not yet in `scratch`.
        var copied = start
        while true {
            skipPlain()
            guard position < count else { throw .unexpectedEnd("a closing quote", at: position) }
            switch byte(position) {
            case UInt8(ascii: "\""):
                let end = position
                position += 1
                let rest = unsafe UnsafeBufferPointer(start: base + copied, count: end - copied)
                if copied == start { return unsafe rest }
                unsafe scratch.append(contentsOf: rest)
                // The array is neither changed nor moved before the caller is done with this.
                return unsafe scratch.withUnsafeBufferPointer { unsafe $0 }
            case UInt8(ascii: "\\"):
                unsafe scratch.append(
                    contentsOf: UnsafeBufferPointer(start: base + copied, count: position - copied))
                try parseEscape()
                copied = position
            case 0..<0x20: throw .controlCharacter(at: position)
            default: try skipMultibyte()
            }
        }
    }

    /// Moves past ASCII that stands for itself, eight bytes at a time.
    @inline(__always)
    private mutating func skipPlain() {
        while position &+ 8 <= count {
            let word = unsafe UnsafeRawPointer(base + position).loadUnaligned(as: UInt64.self)
            let special = Self.specials(UInt64(littleEndian: word))
            if special != 0 {
                position &+= special.trailingZeroBitCount / 8
                return
            }
            position &+= 8
        }
        while position < count {
            let next = byte(position)
            if next < 0x20 || next >= 0x80 || next == UInt8(ascii: "\"")
                || next == UInt8(ascii: "\\")
            {
                return
            }
            position &+= 1
        }
    }

    /// The top bit of each byte that is a quote, a backslash, a control or not ASCII, exact up
    /// to the lowest such byte.
    @inline(__always)
    private static func specials(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let backslash = word ^ (ones &* 0x5C)
        let control = (word &- (ones &* 0x20)) & ~word
        let found = ((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
        return (found | control | word) & (ones &* 0x80)
    }

    /// Decodes the escape at the backslash the position is on, into `scratch`.
    private mutating func parseEscape() throws(JSONError) {
        let start = position
        guard position + 1 < count else { throw .unexpectedEnd("an escape", at: count) }
        position += 2
        switch byte(start + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            scratch.append(byte(start + 1))
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"): append(try parseScalar(from: start))
        default: throw .invalidEscape(at: start)
        }
    }

    /// Reads four hex digits, and where they are a high surrogate its other half as well.
    private mutating func parseScalar(from start: Int) throws(JSONError) -> UInt32 {
        let unit = try parseHex(of: start)
        guard unit & 0xF800 == 0xD800 else { return unit }
        guard unit < 0xDC00, position + 1 < count, byte(position) == UInt8(ascii: "\\"),
            byte(position + 1) == UInt8(ascii: "u")
        else { throw .loneSurrogate(at: start) }
        let second = position
        position += 2
        let low = try parseHex(of: second)
        guard low & 0xFC00 == 0xDC00 else { throw .loneSurrogate(at: start) }
        return 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
    }

    private mutating func parseHex(of start: Int) throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard position < count else { throw .unexpectedEnd("four hex digits", at: count) }
            let digit = byte(position)
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): unit = unit << 4 | UInt32(digit & 0xF)
            case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                unit = unit << 4 | UInt32(digit & 0xF + 9)
            default: throw .invalidEscape(at: start)
            }
            position += 1
        }
        return unit
    }

    private mutating func append(_ scalar: UInt32) {
        switch scalar {
        case ..<0x80: scratch.append(UInt8(scalar))
        case ..<0x800:
            scratch.append(UInt8(0xC0 | scalar >> 6))
            scratch.append(UInt8(0x80 | scalar & 0x3F))
        case ..<0x10000:
            scratch.append(UInt8(0xE0 | scalar >> 12))
            scratch.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            scratch.append(UInt8(0x80 | scalar & 0x3F))
        default:
            scratch.append(UInt8(0xF0 | scalar >> 18))
            scratch.append(UInt8(0x80 | scalar >> 12 & 0x3F))
            scratch.append(UInt8(0x80 | scalar >> 6 & 0x3F))
            scratch.append(UInt8(0x80 | scalar & 0x3F))
        }
    }

    /// Moves past one scalar of two to four bytes: table 3-7 of the Unicode Standard.
    private mutating func skipMultibyte() throws(JSONError) {
        let second: ClosedRange<UInt8>
        let length: Int
        switch byte(position) {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw .invalidUTF8(at: position)
        }
        guard position + length <= count, second.contains(byte(position + 1)) else {
            throw .invalidUTF8(at: position)
        }
        for offset in 2..<max(length, 2) where byte(position + offset) & 0xC0 != 0x80 {
            throw .invalidUTF8(at: position)
        }
        position += length
    }

    /// A number that equal keys share and others rarely do; never trusted alone.
    @inline(__always)
    static func fingerprint(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let raw = UnsafeRawBufferPointer(bytes)
        let count = raw.count
        var result = UInt64(truncatingIfNeeded: count)
        if count >= 8 {
            let first = unsafe raw.loadUnaligned(as: UInt64.self)
            let last = unsafe raw.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
            result = (result ^ first) &* 0x9E37_79B9_7F4A_7C15 ^ last
        } else {
            for index in 0..<count { result = result << 8 | UInt64(unsafe raw[index]) }
        }
        return result
    }
}
