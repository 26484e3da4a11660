internal import COpenSSL

/// What the wrappers share: algorithms fetched once, and OpenSSL's own error text.
///
/// Each `EVP_…_fetch` looks an algorithm up by name under a lock, which costs more than hashing a
/// short message. Fetched algorithms are immutable and reference counted, so they are shared by
/// all threads and never freed.
enum OpenSSL {
    // Unsafe: OpenSSL never changes a fetched algorithm, and nobody here frees it.
    nonisolated(unsafe) static let sha256: OpaquePointer = {
        guard let digest = EVP_MD_fetch(nil, "SHA256", nil) else {
            preconditionFailure("OpenSSL has no SHA-256: \(lastError()).")
        }
        return digest
    }()

    // Unsafe: as above.
    nonisolated(unsafe) static let hmac: OpaquePointer = {
        guard let code = EVP_MAC_fetch(nil, "HMAC", nil) else {
            preconditionFailure("OpenSSL has no HMAC: \(lastError()).")
        }
        return code
    }()

    // Unsafe: as above.
    nonisolated(unsafe) static let aes256GCM: OpaquePointer = {
        guard let cipher = EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
            preconditionFailure("OpenSSL has no AES-256-GCM: \(lastError()).")
        }
        return cipher
    }()

    /// OpenSSL's text for the last failure on this thread; empties its error queue.
    static func lastError() -> String {
        var code: UInt = 0
        while case let next = ERR_get_error(), next != 0 { code = next }
        guard code != 0 else { return "no reason given" }
        var text = [CChar](repeating: 0, count: 256)
        ERR_error_string_n(code, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
