internal import COpenSSL

/// AES-256-GCM (NIST SP 800-38D): seals bytes so that they can neither be read nor altered.
package enum AESGCM {
    /// The length of a key in bytes.
    package static let keyByteCount = 32
    /// The length of a nonce in bytes.
    package static let nonceByteCount = 12
    /// The length of a tag in bytes.
    package static let tagByteCount = 16

    /// Seals `plaintext` under a random nonce.
    ///
    /// - Parameters:
    ///   - plaintext: Any length up to 1 GiB, empty allowed.
    ///   - key: 32 bytes, for at most 2^32 messages.
    ///   - context: Bound to the result but not part of it; opening needs the same.
    /// - Returns: Nonce, ciphertext and tag, one after the other: 28 bytes more than `plaintext`.
    /// - Throws: `.wrongLength` for a key of another length or an oversize plaintext.
    package static func seal(
        _ plaintext: [UInt8], key: [UInt8], context: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        try seal(plaintext, key: key, nonce: SecureRandom.bytes(nonceByteCount), context: context)
    }

    /// Seals under a given nonce, which must never be used twice with one key.
    static func seal(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], context: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let cipher = try Cipher(
            key: key, nonce: nonce[...], encrypting: true, byteCount: plaintext.count)
        try cipher.authenticate(context)
        var sealed = nonce
        sealed.reserveCapacity(nonce.count + plaintext.count + tagByteCount)
        sealed += try cipher.process(plaintext[...])
        sealed += try cipher.tag()
        return sealed
    }

    /// Opens what ``seal(_:key:context:)`` gave.
    ///
    /// - Throws: `.notAuthentic` if anything was altered, or key or context differ;
    ///   `.wrongLength` for a key of another length or a box too short to be one.
    package static func open(
        _ sealed: [UInt8], key: [UInt8], context: [UInt8] = []
    ) throws(CryptoError) -> [UInt8] {
        let overhead = nonceByteCount + tagByteCount
        guard sealed.count >= overhead else {
            throw .wrongLength(
                of: "sealed box", byteCount: sealed.count, wanted: "at least \(overhead)",
                algorithm: "AES-256-GCM")
        }
        let body = sealed[nonceByteCount..<(sealed.count - tagByteCount)]
        let cipher = try Cipher(
            key: key, nonce: sealed[..<nonceByteCount], encrypting: false, byteCount: body.count)
        try cipher.authenticate(context)
        let plaintext = try cipher.process(body)
        try cipher.verify(tag: sealed[(sealed.count - tagByteCount)...])
        return plaintext
    }
}

/// One use of the cipher, freed (and its key wiped by OpenSSL) when its owner goes away.
private struct Cipher: ~Copyable {
    private let context: OpaquePointer

    init(
        key: [UInt8], nonce: ArraySlice<UInt8>, encrypting: Bool, byteCount: Int
    ) throws(CryptoError) {
        guard key.count == AESGCM.keyByteCount else {
            throw .wrongLength(
                of: "key", byteCount: key.count, wanted: "32", algorithm: "AES-256-GCM")
        }
        guard nonce.count == AESGCM.nonceByteCount else {
            throw .wrongLength(
                of: "nonce", byteCount: nonce.count, wanted: "12", algorithm: "AES-256-GCM")
        }
        guard byteCount <= 1 << 30 else {
            throw .wrongLength(
                of: "message", byteCount: byteCount, wanted: "at most 1 GiB",
                algorithm: "AES-256-GCM")
        }
        guard let made = EVP_CIPHER_CTX_new() else { throw .library("make a cipher context") }
        let begun = nonce.withUnsafeBufferPointer { nonce in
            EVP_CipherInit_ex2(
                made, OpenSSL.aes256GCM, key, nonce.baseAddress, encrypting ? 1 : 0, nil)
        }
        guard begun == 1 else {
            EVP_CIPHER_CTX_free(made)
            throw .library("start AES-256-GCM")
        }
        context = made
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    func authenticate(_ bytes: [UInt8]) throws(CryptoError) {
        var written: Int32 = 0
        guard
            bytes.isEmpty
                || EVP_CipherUpdate(context, nil, &written, bytes, Int32(bytes.count)) == 1
        else { throw .library("authenticate the context of a sealed box") }
    }

    func process(_ bytes: ArraySlice<UInt8>) throws(CryptoError) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        var written: Int32 = 0
        var processed = false
        let output = [UInt8](unsafeUninitializedCapacity: bytes.count) { output, count in
            processed = bytes.withUnsafeBufferPointer {
                EVP_CipherUpdate(
                    context, output.baseAddress, &written, $0.baseAddress, Int32($0.count)) == 1
            }
            count = processed ? Int(written) : 0
        }
        guard processed, output.count == bytes.count else { throw .library("run AES-256-GCM") }
        return output
    }

    func tag() throws(CryptoError) -> [UInt8] {
        var none: UInt8 = 0
        var written: Int32 = 0
        var tag = [UInt8](repeating: 0, count: AESGCM.tagByteCount)
        guard EVP_CipherFinal_ex(context, &none, &written) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1
        else { throw .library("finish AES-256-GCM") }
        return tag
    }

    func verify(tag: ArraySlice<UInt8>) throws(CryptoError) {
        var none: UInt8 = 0
        var written: Int32 = 0
        var tag = Array(tag)
        guard
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1,
            EVP_CipherFinal_ex(context, &none, &written) == 1
        else {
            // Only to empty the error queue: the reason is always the tag.
            _ = OpenSSL.lastError()
            throw .notAuthentic()
        }
    }
}
