/// Hexadecimal (RFC 4648, section 8), written in lower case.
package enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two digits for each byte.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` stands for; either case is read.
    ///
    /// - Throws: `.badEncoding` for an odd length or a character that is no digit.
    package static func decode(_ text: String) throws(CryptoError) -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 2) else {
            throw .badEncoding("hexadecimal", reason: "its length is odd")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(characters.count / 2)
        for index in stride(from: 0, to: characters.count, by: 2) {
            guard let high = value(characters[index]), let low = value(characters[index + 1]) else {
                throw .badEncoding("hexadecimal", reason: "a character is no digit")
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// Base64 (RFC 4648, section 4): with padding, strict when read.
package enum Base64 {
    static let alphabet = RadixAlphabet(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", name: "Base64")

    /// The text for `bytes`, padded with `=`.
    package static func encode(_ bytes: [UInt8]) -> String {
        let text = alphabet.encode(bytes)
        return text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    }

    /// The bytes that `text` stands for.
    ///
    /// - Throws: `.badEncoding` for a foreign character, missing padding, or bits left over.
    package static func decode(_ text: String) throws(CryptoError) -> [UInt8] {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else {
            throw .badEncoding("Base64", reason: "its length is no multiple of four")
        }
        let padding = characters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        return try alphabet.decode(characters.dropLast(padding))
    }
}

/// Base64 for URLs and file names (RFC 4648, section 5), without padding, strict when read.
package enum Base64URL {
    static let alphabet = RadixAlphabet(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", name: "Base64url")

    /// The text for `bytes`, without padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        alphabet.encode(bytes)
    }

    /// The bytes that `text` stands for.
    ///
    /// - Throws: `.badEncoding` for a foreign character (padding is one) or bits left over.
    package static func decode(_ text: String) throws(CryptoError) -> [UInt8] {
        try alphabet.decode(Array(text.utf8)[...])
    }
}

/// Base32 (RFC 4648, section 6), in lower case and without padding, strict when read.
///
/// 16 bytes give 26 characters.
package enum Base32 {
    static let alphabet = RadixAlphabet("abcdefghijklmnopqrstuvwxyz234567", name: "Base32")

    /// The text for `bytes`, in lower case, without padding.
    package static func encode(_ bytes: [UInt8]) -> String {
        alphabet.encode(bytes)
    }

    /// The bytes that `text` stands for.
    ///
    /// - Throws: `.badEncoding` for a foreign character (upper case is one) or bits left over.
    package static func decode(_ text: String) throws(CryptoError) -> [UInt8] {
        try alphabet.decode(Array(text.utf8)[...])
    }
}
