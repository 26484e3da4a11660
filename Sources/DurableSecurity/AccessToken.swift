internal import OpenSSLCrypto

/// A bearer token of ours, seen in full only by the one who asked for it.
public struct AccessToken: Sendable {
    /// `dmt_` and 52 characters of lower-case Base32: 256 random bits.
    public let text: String

    /// A new token.
    ///
    /// - Parameter randomBytes: Gives as many unpredictable bytes as asked.
    package init(randomBytes: (Int) -> [UInt8]) {
        text = "dmt_" + Base32.encode(randomBytes(32))
    }

    /// What is kept instead of the token.
    public var hash: TokenHash { TokenHash(of: text) }

    /// A new token from the system's randomness.
    public static func random() -> AccessToken { AccessToken(randomBytes: SecureRandom.bytes) }
}

extension AccessToken: CustomStringConvertible {
    /// A stand-in, so that no log ever holds the token.
    public var description: String { "dmt_…" }
}

/// The SHA-256 of a token, written `sha256:` and 64 hexadecimal digits.
///
/// A plain digest suffices because our tokens are long and random; a password would need more.
public struct TokenHash: Hashable, Sendable {
    private let digest: [UInt8]

    /// The hash of a token as it stands in an `Authorization` header, without `Bearer `.
    public init(of token: String) { digest = SHA256.hash(token) }

    /// Reads the written form; upper-case digits are accepted.
    ///
    /// - Throws: ``SecurityError``: `.malformed`.
    public init(parsing text: String) throws(SecurityError) {
        guard text.hasPrefix("sha256:") else { throw .badTokenHash() }
        do {
            digest = try Hex.decode(String(text.dropFirst("sha256:".count)))
        } catch {
            throw .badTokenHash()
        }
        guard digest.count == 32 else { throw .badTokenHash() }
    }

    /// The written form.
    public var text: String { "sha256:" + Hex.encode(digest) }

    /// Whether `token` has this hash, in a time that does not tell how much of it was right.
    public func matches(_ token: String) -> Bool { isEqual(to: TokenHash(of: token)) }

    /// Whether both are the same, in a time that does not tell how much of them is.
    public func isEqual(to other: TokenHash) -> Bool { ConstantTime.equal(digest, other.digest) }
}
