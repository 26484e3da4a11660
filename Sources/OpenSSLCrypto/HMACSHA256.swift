internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104, RFC 4231).
///
/// Holds a key made ready once, so that a code costs little more than the hash of the message.
package final class HMACSHA256: @unchecked Sendable {
    // Unchecked: `prepared` is never changed after `init`; each code is computed on a copy of it.
    private let prepared: OpaquePointer

    /// Makes `key` ready.
    ///
    /// - Parameter key: Any length; 32 random bytes are usual.
    package init(key: [UInt8]) {
        guard let context = EVP_MAC_CTX_new(OpenSSL.hmac) else {
            preconditionFailure("OpenSSL could not make an HMAC context: out of memory.")
        }
        // Parameters keep the addresses of their name and value, so both outlive the call.
        var value: [CChar] = Array("SHA256".utf8CString)
        let begun = "digest".withCString { name in
            value.withUnsafeMutableBufferPointer { value in
                let parameters = [
                    OSSL_PARAM_construct_utf8_string(name, value.baseAddress, 0),
                    OSSL_PARAM_construct_end(),
                ]
                // A nil key would mean "keep the last key", so an empty one gets an address too.
                return (key + [0]).withUnsafeBufferPointer {
                    EVP_MAC_init(context, $0.baseAddress, key.count, parameters)
                }
            }
        }
        precondition(begun == 1, "OpenSSL could not start HMAC: \(OpenSSL.lastError()).")
        prepared = context
    }

    deinit { EVP_MAC_CTX_free(prepared) }

    /// The code of `message`, 32 bytes.
    package func code(for message: [UInt8]) -> [UInt8] {
        guard let context = EVP_MAC_CTX_dup(prepared) else {
            preconditionFailure("OpenSSL could not copy an HMAC context: out of memory.")
        }
        defer { EVP_MAC_CTX_free(context) }
        let updated = message.withUnsafeBufferPointer {
            $0.isEmpty ? 1 : EVP_MAC_update(context, $0.baseAddress, $0.count)
        }
        precondition(updated == 1, "OpenSSL could not compute HMAC: \(OpenSSL.lastError()).")
        return [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { code, count in
            let ended = EVP_MAC_final(context, code.baseAddress, &count, SHA256.byteCount)
            precondition(ended == 1, "OpenSSL could not finish HMAC: \(OpenSSL.lastError()).")
        }
    }

    /// The code of the UTF-8 of `message`, 32 bytes.
    package func code(for message: String) -> [UInt8] {
        code(for: Array(message.utf8))
    }

    /// The code of `message` under `key`, 32 bytes, for a key that is used once.
    package static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        HMACSHA256(key: key).code(for: message)
    }
}
