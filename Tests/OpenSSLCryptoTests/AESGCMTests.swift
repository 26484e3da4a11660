import Testing

@testable import OpenSSLCrypto

@Suite("AES-256-GCM")
struct AESGCMTests {
    @Test(
        "sealed boxes match the test cases of the GCM specification",
        arguments: [
            (
                "0000000000000000000000000000000000000000000000000000000000000000",
                "000000000000000000000000", "", "", "", "530f8afbc74536b9a963b4f1c4cb738b"
            ),
            (
                "0000000000000000000000000000000000000000000000000000000000000000",
                "000000000000000000000000", "00000000000000000000000000000000", "",
                "cea7403d4d606b6e074ec5d3baf39d18", "d0d1c8a799996bf0265b98b5d48ab919"
            ),
            (
                "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
                "cafebabefacedbaddecaf888",
                "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
                "feedfacedeadbeeffeedfacedeadbeefabaddad2",
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                    + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
                "76fc6ece0f4e1768cddf8853bb2d551b"
            ),
        ])
    func knownAnswers(
        key: String, nonce: String, plaintext: String, context: String, ciphertext: String,
        tag: String
    ) throws {
        let sealed = try AESGCM.seal(
            Hex.decode(plaintext), key: Hex.decode(key), nonce: Hex.decode(nonce),
            context: Hex.decode(context))
        #expect(Hex.encode(sealed) == nonce + ciphertext + tag)
        let opened = try AESGCM.open(
            sealed, key: Hex.decode(key), context: Hex.decode(context))
        #expect(Hex.encode(opened) == plaintext)
    }

    @Test("any altered bit, other key or other context is refused")
    func altered() throws {
        let key = SecureRandom.bytes(32)
        let sealed = try AESGCM.seal(Array("secret".utf8), key: key, context: [1])
        #expect(try AESGCM.open(sealed, key: key, context: [1]) == Array("secret".utf8))
        for bit in 0..<(sealed.count * 8) {
            var altered = sealed
            altered[bit / 8] ^= 1 << UInt8(bit % 8)
            let error = #expect(throws: CryptoError.self) {
                try AESGCM.open(altered, key: key, context: [1])
            }
            #expect(error?.code == .notAuthentic)
        }
        #expect(throws: CryptoError.notAuthentic()) {
            try AESGCM.open(sealed, key: key, context: [2])
        }
        #expect(throws: CryptoError.notAuthentic()) {
            try AESGCM.open(sealed, key: SecureRandom.bytes(32), context: [1])
        }
    }

    @Test("wrong lengths are named")
    func lengths() {
        let shortKey = #expect(throws: CryptoError.self) {
            try AESGCM.seal([], key: [1, 2])
        }
        #expect(
            shortKey?.message == "The key for AES-256-GCM has 2 bytes; it must have 32.")
        let shortBox = #expect(throws: CryptoError.self) {
            try AESGCM.open([1, 2], key: [UInt8](repeating: 0, count: 32))
        }
        #expect(shortBox?.code == .wrongLength)
    }

    @Test("each seal takes another nonce")
    func nonces() throws {
        let key = SecureRandom.bytes(32)
        let first = try AESGCM.seal([1], key: key)
        let second = try AESGCM.seal([1], key: key)
        #expect(first.prefix(12) != second.prefix(12))
    }
}
