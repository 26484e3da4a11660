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

    private static let forms = """
        {"properties":{
          "id":{"type":["string","integer"]},
          "tag":{"oneOf":[{"type":"string"},{"type":"null"}]},
          "when":{"anyOf":[{"type":"string","minLength":3},{"type":"integer"}]},
          "step":{"anyOf":[
            {"type":"object","properties":{"kind":{"const":"tool"},"tool":{"type":"string"}},
             "required":["kind","tool"]},
            {"type":"object","properties":{"kind":{"const":"sleep"},"until":{"type":"string"}},
             "required":["kind","until"]}]},
          "list":{"contains":{"const":1},"maxItems":2},
          "pair":{"dependentRequired":{"a":["b"]}},
          "names":{"propertyNames":{"pattern":"^[a-z]+$"}},
          "no":false, "odd":{"not":{"type":"integer"}},
          "set":{"uniqueItems":true}, "text":{"maxLength":1}, "share":{"exclusiveMaximum":1.5},
          "both":{"oneOf":[{"minimum":1},{"maximum":5}]}}}
        """

    @Test(
        "each keyword says what would be right",
        arguments: [
            (#"{"id":1.5}"#, "`id` must be a string or an integer, not a number with a fraction"),
            (#"{"tag":[]}"#, "`tag` must be a string or null, not an array"),
            (#"{"when":"ab"}"#, "`when` must have at least 3 characters, not 2"),
            (#"{"step":{"kind":"tool"}}"#, "`step.tool` is missing"),
            (#"{"step":{"kind":"wait"}}"#, #"`step.kind` must be "tool" or "sleep""#),
            (
                #"{"step":{}}"#,
                "`step` has none of the 2 allowed forms: `step.kind` is missing"
            ),
            (
                #"{"list":[2]}"#,
                "`list` must contain at least 1 of the elements its schema asks for, not 0"
            ),
            (#"{"list":[1,2,3]}"#, "`list` must have at most 2 elements, not 3"),
            (#"{"pair":{"a":1}}"#, "`pair.b` is missing, and `pair.a` needs it"),
            (
                #"{"names":{"A b":1}}"#,
                #"`names["A b"]` has a name that is not allowed: "#
                    + #"`names["A b"]` must match the pattern ^[a-z]+$"#
            ),
            (#"{"no":1}"#, "`no` is not allowed"),
            (#"{"odd":1}"#, "`odd` has a form that is not allowed"),
            (#"{"set":[1,2,1.0]}"#, "`set[2]` repeats the element at 0"),
            (#"{"text":"ab"}"#, "`text` must have at most 1 character, not 2"),
            (#"{"share":1.5}"#, "`share` must be less than 1.5"),
            (#"{"both":3}"#, "`both` must have exactly one of the 2 allowed forms, not 2"),
        ])
    func words(value: String, message: String) throws {
        let schema = try Schema(compiling: JSONValue(parsing: Self.forms))
        let violations = schema.validate(try JSONValue(parsing: value))
        #expect(violations.map(\.message) == [message])
    }

    @Test("a message quotes no checked value, and no control characters of a name")
    func quiet() throws {
        let schema = try Schema(
            compiling: ["additionalProperties": ["type": "integer", "maximum": 3]])
        let long = String(repeating: "x", count: 10_000)
        let violations = schema.validate(["a\n\u{1B}[31m": "secret", "b": 99, long: "secret"])
        for violation in violations {
            #expect(!violation.message.contains("secret") && !violation.message.contains("99"))
            #expect(violation.message.utf8.count < 300)
            #expect(!violation.message.unicodeScalars.contains { $0.value < 0x20 })
        }
        #expect(violations.count == 3)
    }
}
