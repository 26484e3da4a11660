import JSONSchema
import OrderedJSON
import Testing

@Suite("JSON Schema")
struct SchemaTests {
    private static let steps = """
        {"type":"object","required":["message","steps"],"additionalProperties":false,
         "properties":{
          "message":{"type":"string"},
          "count":{"type":"integer","minimum":1},
          "mode":{"enum":["fast","slow",null]},
          "steps":{"type":"array","items":{"$ref":"#/$defs/step"}}},
         "$defs":{"step":{"type":"object","required":["tool"],
          "properties":{"tool":{"type":"string","pattern":"^[a-z_]+$"}}}}}
        """

    @Test(
        "a violation names the place and says what would be right",
        arguments: [
            (#"{"steps":[]}"#, "arguments.message", "`message` is missing"),
            (
                #"{"message":"","steps":[],"count":"1"}"#, "arguments.count",
                "`count` must be an integer, not a string"
            ),
            (
                #"{"message":"","steps":[],"count":0}"#, "arguments.count",
                "`count` must be at least 1"
            ),
            (
                #"{"message":"","steps":[],"mode":"medium"}"#, "arguments.mode",
                #"`mode` must be one of "fast", "slow" or null"#
            ),
            (
                #"{"message":"","steps":[{"tool":"A"}]}"#, "arguments.steps[0].tool",
                "`steps[0].tool` must match the pattern ^[a-z_]+$"
            ),
            (
                #"{"message":"","steps":[],"cuont":1}"#, "arguments.cuont",
                "`cuont` is not known; did you mean `count`?"
            ),
            ("[]", "arguments", "`arguments` must be an object, not an array"),
        ])
    func messages(value: String, path: String, message: String) throws {
        let schema = try Schema(compiling: JSONValue(parsing: Self.steps))
        let violations = schema.validate(try JSONValue(parsing: value), named: "arguments")
        #expect(violations.map(\.path) == [path])
        #expect(violations.map(\.message) == [message])
    }
}
