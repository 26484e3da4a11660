import OpenSSLCrypto
import Testing

@Suite("Encodings")
struct EncodingTests {
    /// RFC 4648, section 10.
    static let vectors: [(String, hex: String, base64: String, base32: String)] = [
        ("", "", "", ""),
        ("f", "66", "Zg==", "my"),
        ("fo", "666f", "Zm8=", "mzxq"),
        ("foo", "666f6f", "Zm9v", "mzxw6"),
        ("foob", "666f6f62", "Zm9vYg==", "mzxw6yq"),
        ("fooba", "666f6f6261", "Zm9vYmE=", "mzxw6ytb"),
        ("foobar", "666f6f626172", "Zm9vYmFy", "mzxw6ytboi"),
    ]

    @Test("RFC 4648's examples hold both ways", arguments: vectors)
    func vector(text: String, hex: String, base64: String, base32: String) throws {
        let bytes = Array(text.utf8)
        let unpadded = String(base64.prefix { $0 != "=" })
        #expect(Hex.encode(bytes) == hex)
        #expect(Base64.encode(bytes) == base64)
        #expect(Base64URL.encode(bytes) == unpadded)
        #expect(Base32.encode(bytes) == base32)
        #expect(try Hex.decode(hex) == bytes)
        #expect(try Base64.decode(base64) == bytes)
        #expect(try Base64URL.decode(unpadded) == bytes)
        #expect(try Base32.decode(base32) == bytes)
    }

    @Test("the two Base64 alphabets differ in two characters")
    func alphabets() throws {
        #expect(Base64.encode([0xfb, 0xff]) == "+/8=")
        #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
        #expect(throws: CryptoError.self) { try Base64.decode("-_8=") }
        #expect(throws: CryptoError.self) { try Base64URL.decode("+/8") }
    }

    @Test("every byte string of random length survives each encoding")
    func roundTrip() throws {
        for count in 0..<70 {
            let bytes = SecureRandom.bytes(count)
            #expect(try Hex.decode(Hex.encode(bytes).uppercased()) == bytes)
            #expect(try Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(try Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(try Base32.decode(Base32.encode(bytes)) == bytes)
        }
        #expect(Base32.encode(SecureRandom.bytes(16)).utf8.count == 26)
    }

    @Test(
        "what is not canonical Base64 is refused",
        arguments: ["Z", "Zg", "Zg=", "Zh==", "Zg===", "====", "Zg==Zg==", "Zm9v\n", "Zm 9", "Zé="])
    func badBase64(text: String) {
        let error = #expect(throws: CryptoError.self) { try Base64.decode(text) }
        #expect(error?.code == .badEncoding)
    }

    @Test("what is not Base64url, Base32 or hexadecimal is refused")
    func badOthers() {
        #expect(throws: CryptoError.self) { try Base64URL.decode("Zg==") }
        #expect(throws: CryptoError.self) { try Base64URL.decode("Zh") }
        #expect(throws: CryptoError.self) { try Base64URL.decode("Z") }
        #expect(throws: CryptoError.self) { try Base32.decode("MY") }
        #expect(throws: CryptoError.self) { try Base32.decode("m") }
        #expect(throws: CryptoError.self) { try Base32.decode("mz1w6") }
        #expect(throws: CryptoError.self) { try Hex.decode("6") }
        #expect(throws: CryptoError.self) { try Hex.decode("6g") }
    }
}
