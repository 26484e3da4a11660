import OrderedJSON
import Testing

@Suite("JSON decoding")
struct JSONValueDecoderTests {
    private struct Config: Decodable, Equatable {
        struct Upstream: Decodable, Equatable {
            var command: String
            var arguments: [String]?
            var limit: UInt8?
            var extra: JSONValue?
        }
        enum Mode: String, Decodable { case fast, slow }
        var mode: Mode
        var ratio: Double
        var upstreams: [String: Upstream]
        var on: Bool?
    }

    private func decode(_ text: String) throws -> Config {
        try JSONValueDecoder().decode(Config.self, from: JSONValue(parsing: text))
    }

    @Test("a type is decoded, with JSON values inside kept exactly")
    func decoded() throws {
        let config = try decode(
            #"""
            {"mode":"fast","ratio":1,"on":null,"ignored":1,
             "upstreams":{"a":{"command":"x","arguments":["1"],"limit":2.55e2,"extra":[1.00]}}}
            """#)
        let expected = Config(
            mode: .fast, ratio: 1,
            upstreams: [
                "a": .init(
                    command: "x", arguments: ["1"], limit: 255,
                    extra: try JSONValue(parsing: "[1.00]"))
            ])
        #expect(config == expected)
    }

    @Test(
        "an error names the place",
        arguments: [
            ("[]", "must be an object, not an array"),
            (#"{"ratio":1,"upstreams":{}}"#, "/mode: is missing"),
            (#"{"mode":"fast","ratio":"1","upstreams":{}}"#, "/ratio: must be a number"),
            (#"{"mode":"fast","ratio":1e999,"upstreams":{}}"#, "/ratio: must be a number"),
            (
                #"{"mode":"fast","ratio":1,"upstreams":{"a/b":{}}}"#,
                "/upstreams/a~1b/command: is missing"
            ),
            (
                #"{"mode":"fast","ratio":1,"upstreams":{"a":{"command":"","limit":256}}}"#,
                "/upstreams/a/limit: must be an integer from 0 to 255, not an integer"
            ),
            (
                #"{"mode":"fast","ratio":1,"upstreams":{"a":{"command":"","arguments":["",1]}}}"#,
                "/upstreams/a/arguments/1: must be a string, not an integer"
            ),
            (#"{"mode":"odd","ratio":1,"upstreams":{}}"#, "/mode: "),
        ])
    func errors(text: String, message: String) {
        let error = #expect(throws: JSONDecodingError.self) { try decode(text) }
        #expect(error?.description.hasPrefix(message) == true, "\(error?.description ?? "")")
    }
}
