/// The digits of an encoding that takes a fixed number of bits a character.
struct RadixAlphabet: Sendable {
    private let name: String
    private let digits: [UInt8]
    private let values: [UInt8]
    private let bitsPerDigit: Int

    /// Takes a power of two of ASCII characters, all different.
    init(_ digits: String, name: String) {
        self.name = name
        self.digits = Array(digits.utf8)
        bitsPerDigit = self.digits.count.trailingZeroBitCount
        precondition(self.digits.count == 1 << bitsPerDigit)
        var values = [UInt8](repeating: .max, count: 256)
        for (value, digit) in self.digits.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }

    /// The digits for `bytes`; bits missing from the last one are zero.
    func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + bitsPerDigit - 1) / bitsPerDigit)
        var window: UInt32 = 0
        var bits = 0
        for byte in bytes {
            window = window << 8 | UInt32(byte)
            bits += 8
            while bits >= bitsPerDigit {
                bits -= bitsPerDigit
                text.append(digits[Int(window >> UInt32(bits)) & (digits.count - 1)])
            }
        }
        if bits > 0 {
            let last = Int(window << UInt32(bitsPerDigit - bits)) & (digits.count - 1)
            text.append(digits[last])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `characters` stand for: exactly one text decodes to each byte string.
    func decode(_ characters: ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count * bitsPerDigit / 8)
        var window: UInt32 = 0
        var bits = 0
        for character in characters {
            let value = values[Int(character)]
            guard value != .max else {
                throw .badEncoding(name, reason: "a character is not in its alphabet")
            }
            window = window << UInt32(bitsPerDigit) | UInt32(value)
            bits += bitsPerDigit
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: window >> UInt32(bits)))
            }
        }
        guard bits < bitsPerDigit else {
            throw .badEncoding(name, reason: "it ends in the middle of a byte")
        }
        guard window & ((1 << UInt32(bits)) - 1) == 0 else {
            throw .badEncoding(name, reason: "its last character has bits that belong to no byte")
        }
        return bytes
    }
}
