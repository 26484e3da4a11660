internal import COpenSSL
internal import Synchronization

/// SHA-256 (FIPS 180-4), of bytes that arrive piece by piece or all at once.
///
/// Hashing cannot fail: an OpenSSL without SHA-256 is a broken installation, and traps.
package struct SHA256: ~Copyable {
    /// The length of a digest in bytes.
    package static let byteCount = 32

    private let context: OpaquePointer

    /// Starts a digest of no bytes.
    package init() {
        context = Self.makeContext()
        Self.begin(context)
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Adds `bytes` to what is hashed.
    package mutating func update(_ bytes: [UInt8]) {
        update(bytes.span)
    }

    /// Adds `bytes` to what is hashed.
    package mutating func update(_ bytes: Span<UInt8>) {
        bytes.withUnsafeBytes { Self.add($0, to: context) }
    }

    /// Adds the UTF-8 of `text` to what is hashed.
    package mutating func update(_ text: String) {
        update(text.utf8Span.span)
    }

    /// The digest of everything added, 32 bytes.
    package consuming func finish() -> [UInt8] {
        Self.end(context)
    }
}

extension SHA256 {
    /// The digest of `bytes`, 32 bytes.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        hash(bytes.span)
    }

    /// The digest of the UTF-8 of `text`, 32 bytes.
    package static func hash(_ text: String) -> [UInt8] {
        hash(text.utf8Span.span)
    }

    /// The digest of `bytes`, 32 bytes.
    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        // A context costs about as much to make as a short message to hash, so one is kept. Whoever
        // finds it taken makes another instead of waiting.
        let digest = bytes.withUnsafeBytes { bytes in
            sharedLock.withLockIfAvailable { _ in
                begin(sharedContext)
                add(bytes, to: sharedContext)
                return end(sharedContext)
            }
        }
        if let digest { return digest }
        var own = SHA256()
        own.update(bytes)
        return own.finish()
    }

    // The context kept for one-shot digests, as long as the process lives. It is touched only
    // while `sharedLock` is held.
    nonisolated(unsafe) private static let sharedContext = makeContext()
    private static let sharedLock = Mutex(())

    private static func makeContext() -> OpaquePointer {
        guard let context = EVP_MD_CTX_new() else {
            preconditionFailure("OpenSSL could not make a digest context: out of memory.")
        }
        return context
    }

    private static func begin(_ context: OpaquePointer) {
        let begun = EVP_DigestInit_ex2(context, OpenSSL.sha256, nil)
        precondition(begun == 1, "OpenSSL could not start SHA-256: \(OpenSSL.lastError()).")
    }

    private static func add(_ bytes: UnsafeRawBufferPointer, to context: OpaquePointer) {
        guard let start = bytes.baseAddress else { return }
        let added = EVP_DigestUpdate(context, start, bytes.count)
        precondition(added == 1, "OpenSSL could not hash: \(OpenSSL.lastError()).")
    }

    private static func end(_ context: OpaquePointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { digest, count in
            let ended = EVP_DigestFinal_ex(context, digest.baseAddress, nil)
            precondition(ended == 1, "OpenSSL could not finish SHA-256: \(OpenSSL.lastError()).")
            count = byteCount
        }
    }
}
