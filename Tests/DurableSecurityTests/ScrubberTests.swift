import DurableSecurity
import Foundation
import OrderedJSON
import Testing

@Suite("Scrubber")
struct ScrubberTests {
    private func scrubber(_ text: String, environment: [String: String] = [:]) throws -> Scrubber {
        let source = SecretSource(environment: environment, folders: [])
        var scrubber = Scrubber()
        scrubber.add(try source.resolve(SecretText(parsing: text)))
        return scrubber
    }

    @Test("a literal counts from 8 bytes on, a reference always")
    func lengths() throws {
        #expect(try scrubber("1234567").scrub("a 1234567") == "a 1234567")
        #expect(try scrubber("12345678").scrub("a 12345678b") == "a [secret]b")
        #expect(try scrubber("${A}", environment: ["A": "xyz"]).scrub("wxyz") == "w[secret]")
        #expect(try scrubber("${A}", environment: ["A": ""]).isEmpty)
        #expect(try scrubber("${A:-.}").isEmpty)
        #expect(try scrubber("${A:-12345678}").scrub("12345678") == "[secret]")
    }

    @Test("the value is found with and without what stands around its reference")
    func around() throws {
        let scrubber = try scrubber("Bearer ${A}", environment: ["A": "s3cret"])
        #expect(scrubber.scrub("Bearer s3cret, s3cret") == "[secret], [secret]")
    }

    @Test("the longest of several values wins")
    func longest() {
        var scrubber = Scrubber()
        scrubber.add("abcd")
        scrubber.add("abcdefgh")
        #expect(scrubber.scrub("abcdefghabcd") == "[secret][secret]")
    }

    @Test("a value is found inside JSON text")
    func insideJSON() {
        var scrubber = Scrubber()
        scrubber.add("a\"b\\c/d\ne")
        #expect(scrubber.scrub(#"{"k":"a\"b\\c/d\ne"}"#) == #"{"k":"[secret]"}"#)
        #expect(scrubber.scrub(#"{"k":"a\"b\\c\/d\ne"}"#) == #"{"k":"[secret]"}"#)
    }

    @Test("a value is found in Base64 at every alignment", arguments: 0..<6)
    func insideBase64(lead: Int) {
        let secret = "s3cret-value?>~"
        var scrubber = Scrubber()
        scrubber.add(secret)
        for tail in 0..<4 {
            let whole =
                String(repeating: "u", count: lead) + secret
                + String(repeating: "v", count: tail)
            let plain = Data(whole.utf8).base64EncodedString()
            let url = plain.replacing("+", with: "-").replacing("/", with: "_")
            for text in [plain, url] {
                #expect(scrubber.scrub(text).contains(Scrubber.replacement), "\(text)")
            }
        }
    }

    @Test("a value in lines is found a line at a time")
    func lines() {
        var scrubber = Scrubber()
        scrubber.add("-----KEY-----\nabcdefghijkl\nxy")
        #expect(scrubber.scrub("abcdefghijkl") == "[secret]")
        #expect(scrubber.scrub("xy") == "xy")
    }

    @Test("JSON values are scrubbed in keys, strings and whole numbers")
    func values() {
        var scrubber = Scrubber()
        scrubber.add("12345678")
        let value: JSONValue = [
            "12345678": "x12345678", "n": 12_345_678, "m": 123_456_789, "l": [true, nil],
        ]
        let expected: JSONValue = [
            "[secret]": "x[secret]", "n": "[secret]", "m": 123_456_789, "l": [true, nil],
        ]
        #expect(scrubber.scrub(value) == expected)
    }

    @Test("what one scrubber knows, another can learn")
    func union() {
        var first = Scrubber()
        first.add("abcdefgh")
        var second = Scrubber()
        second.add(contentsOf: first)
        #expect(second.scrub("abcdefgh") == "[secret]")
    }
}
