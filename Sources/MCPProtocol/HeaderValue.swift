import FoundationEssentials

/// How a text travels in an HTTP header.
///
/// Source: 2026-07-28 Streamable HTTP, "Value Encoding".
public enum HeaderValue {
    private static let prefix = "=?base64?"
    private static let suffix = "?="

    /// The header value for a text: itself where that is safe, else its Base64 form.
    public static func encode(_ text: String) -> String {
        isSafe(text) ? text : prefix + Data(text.utf8).base64EncodedString() + suffix
    }

    /// The text of a header value, or nil where the value is malformed.
    ///
    /// Malformed are characters other than visible ASCII, space and tab, and a Base64 form that
    /// holds no Base64 or no UTF-8.
    public static func decode(_ value: String) -> String? {
        guard value.utf8.allSatisfy(isHeaderByte) else { return nil }
        guard isEncoded(value) else { return value }
        let inner = value.dropFirst(prefix.count).dropLast(suffix.count)
        guard let bytes = Data(base64Encoded: String(inner)) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isSafe(_ text: String) -> Bool {
        text.utf8.allSatisfy(isHeaderByte) && !isEncoded(text)
            && !isBlank(text.utf8.first) && !isBlank(text.utf8.last)
    }

    private static func isEncoded(_ text: String) -> Bool {
        text.utf8.count >= prefix.count + suffix.count
            && text.hasPrefix(prefix) && text.hasSuffix(suffix)
    }

    private static func isHeaderByte(_ byte: UInt8) -> Bool {
        (0x20...0x7E).contains(byte) || byte == 0x09
    }

    private static func isBlank(_ byte: UInt8?) -> Bool { byte == 0x20 || byte == 0x09 }
}
