import DurableSecurity
import Testing

@Suite("Access token")
struct AccessTokenTests {
    @Test("a token is a prefix and 256 bits of Base32")
    func form() {
        let token = AccessToken { [UInt8](repeating: 0xFF, count: $0) }
        #expect(token.text == "dmt_" + String(repeating: "7", count: 51) + "q")
        #expect(AccessToken.random().text.utf8.count == 56)
        #expect(AccessToken.random().text != AccessToken.random().text)
    }

    @Test("a printed token shows nothing of itself")
    func printing() {
        #expect("\(AccessToken.random())" == "dmt_…")
    }

    @Test("a hash is written and read alike, and matches its own token alone")
    func hash() throws {
        let known = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        #expect(TokenHash(of: "abc").text == known)
        let read = try TokenHash(parsing: known)
        #expect(read == TokenHash(of: "abc"))
        #expect(read.matches("abc"))
        #expect(!read.matches("abd"))
        #expect(!read.matches(""))
    }

    @Test(
        "what is no hash is refused",
        arguments: [
            "", "abc", "sha256:", "sha256:00", "sha1:" + String(repeating: "0", count: 64),
            "sha256:" + String(repeating: "g", count: 64),
            "sha256:" + String(repeating: "0", count: 66),
        ])
    func refused(text: String) {
        #expect(throws: SecurityError.self) { try TokenHash(parsing: text) }
    }
}
