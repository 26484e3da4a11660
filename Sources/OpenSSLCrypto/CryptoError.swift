/// The failure of one cryptographic operation.
///
/// Its message never holds a key, a plaintext or a ciphertext.
package struct CryptoError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it was, and so what the caller can do.
    package enum Code: Sendable {
        /// The sealed bytes were altered, or belong to another key or context. Do not trust them.
        case notAuthentic
        /// A key, nonce or sealed box has a length that the algorithm does not take.
        case wrongLength
        /// A text is not in the encoding it should be in.
        case badEncoding
        /// OpenSSL refused an operation that should always work.
        case library
    }

    /// The kind of failure.
    package let code: Code

    /// What was tried and why it failed.
    package let message: String

    package var description: String { message }
}

extension CryptoError {
    /// Sealed bytes that do not match their tag.
    package static func notAuthentic() -> Self {
        Self(
            code: .notAuthentic,
            message: """
                Cannot open the sealed bytes: they were altered, or sealed under another key or \
                for another purpose.
                """)
    }

    /// A piece of input with a length that `algorithm` does not take.
    package static func wrongLength(
        of piece: String, byteCount: Int, wanted: String, algorithm: String
    ) -> Self {
        Self(
            code: .wrongLength,
            message: "The \(piece) for \(algorithm) has \(byteCount) bytes; it must have \(wanted)."
        )
    }

    /// A text that is not valid in `encoding`.
    package static func badEncoding(_ encoding: String, reason: String) -> Self {
        Self(code: .badEncoding, message: "The text is not valid \(encoding): \(reason).")
    }

    /// OpenSSL reported a failure; its own text is added.
    static func library(_ operation: String) -> Self {
        Self(code: .library, message: "OpenSSL could not \(operation): \(OpenSSL.lastError()).")
    }
}
