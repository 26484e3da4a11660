import OpenSSLCrypto
import Testing

@Suite("SHA-256 and HMAC")
struct DigestTests {
    @Test(
        "digests match FIPS 180-4's examples",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
        ])
    func digest(text: String, expected: String) {
        #expect(Hex.encode(SHA256.hash(text)) == expected)
        #expect(Hex.encode(SHA256.hash(Array(text.utf8))) == expected)
    }

    @Test("pieces hash like the whole")
    func pieces() {
        let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000)
        var digest = SHA256()
        for _ in 0..<1_000 { digest.update(million) }
        #expect(
            Hex.encode(digest.finish())
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("an unfinished digest does not disturb the next")
    func unfinished() {
        var digest = SHA256()
        digest.update("left over")
        _ = consume digest
        #expect(
            Hex.encode(SHA256.hash("abc"))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("digests taken on many threads are each right")
    func manyThreads() async {
        let expected = (0..<64).map { SHA256.hash("message \($0)") }
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<64 {
                group.addTask { @concurrent in
                    (0..<200).allSatisfy { _ in SHA256.hash("message \(index)") == expected[index] }
                }
            }
            for await right in group { #expect(right) }
        }
    }

    @Test(
        "codes match RFC 4231",
        arguments: [
            (
                [UInt8](repeating: 0x0b, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xaa, count: 131),
                "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
        ])
    func code(key: [UInt8], message: String, expected: String) {
        let code = HMACSHA256(key: key)
        #expect(Hex.encode(code.code(for: message)) == expected)
        #expect(Hex.encode(code.code(for: message)) == expected, "a key can be used again")
        #expect(
            Hex.encode(HMACSHA256.code(for: Array(message.utf8), key: key)) == expected)
    }

    @Test("comparison sees every difference")
    func comparison() {
        #expect(ConstantTime.equal([], []))
        #expect(ConstantTime.equal([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.equal([1, 2, 3], [1, 2]))
    }

    @Test("random bytes have the length asked for and do not repeat")
    func random() {
        #expect(SecureRandom.bytes(0).isEmpty)
        #expect(SecureRandom.bytes(33).count == 33)
        #expect(SecureRandom.bytes(16) != SecureRandom.bytes(16))
    }
}
