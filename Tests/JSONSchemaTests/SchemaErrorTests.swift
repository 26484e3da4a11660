import JSONSchema
import OrderedJSON
import Testing

@Suite("JSON Schema errors")
struct SchemaErrorTests {
    @Test(
        "a schema that is none is refused at its place",
        arguments: [
            ("1", .invalidSchema, ""), ("null", .invalidSchema, ""), ("[]", .invalidSchema, ""),
            (##"{"type":"int"}"##, .invalidSchema, "/type"),
            (##"{"type":[]}"##, .invalidSchema, "/type"),
            (##"{"type":5}"##, .invalidSchema, "/type"),
            (##"{"enum":1}"##, .invalidSchema, "/enum"),
            (##"{"minimum":"1"}"##, .invalidSchema, "/minimum"),
            (##"{"exclusiveMinimum":true}"##, .invalidSchema, "/exclusiveMinimum"),
            (##"{"multipleOf":0}"##, .invalidSchema, "/multipleOf"),
            (##"{"multipleOf":-1}"##, .invalidSchema, "/multipleOf"),
            (##"{"multipleOf":1234567890123456789}"##, .invalidSchema, "/multipleOf"),
            (##"{"minLength":-1}"##, .invalidSchema, "/minLength"),
            (##"{"maxItems":1.5}"##, .invalidSchema, "/maxItems"),
            (##"{"required":true}"##, .invalidSchema, "/required"),
            (##"{"required":[1]}"##, .invalidSchema, "/required"),
            (##"{"properties":[]}"##, .invalidSchema, "/properties"),
            (##"{"properties":{"a/b":3}}"##, .invalidSchema, "/properties/a~1b"),
            (##"{"items":"x"}"##, .invalidSchema, "/items"),
            (##"{"allOf":[]}"##, .invalidSchema, "/allOf"),
            (##"{"anyOf":{}}"##, .invalidSchema, "/anyOf"),
            (##"{"allOf":[{},{"not":1}]}"##, .invalidSchema, "/allOf/1/not"),
            (##"{"uniqueItems":1}"##, .invalidSchema, "/uniqueItems"),
            (##"{"pattern":1}"##, .invalidSchema, "/pattern"),
            (##"{"patternProperties":{"(":{}}}"##, .invalidPattern, "/patternProperties/("),
            (##"{"dependentRequired":{"a":{}}}"##, .invalidSchema, "/dependentRequired/a"),
            (##"{"$ref":1}"##, .invalidSchema, "/$ref"),
            (##"{"$ref":"#/$defs/x"}"##, .unresolvedReference, "/$ref"),
            (##"{"$ref":"#x"}"##, .unresolvedReference, "/$ref"),
            (##"{"$ref":"other.json"}"##, .unresolvedReference, "/$ref"),
            (##"{"$ref":"https://example.test/s#"}"##, .unresolvedReference, "/$ref"),
            (##"{"$ref":"file:///etc/passwd"}"##, .unresolvedReference, "/$ref"),
            (##"{"$ref":"#/%zz"}"##, .unresolvedReference, "/$ref"),
            (##"{"$ref":"#/x","x":5}"##, .invalidSchema, "/x"),
            (##"{"$anchor":1}"##, .invalidSchema, "/$anchor"),
            (
                ##"{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}"##, .invalidSchema,
                "/$defs/b/$anchor"
            ),
            (
                ##"{"$schema":"http://json-schema.org/draft-04/schema#"}"##, .unsupportedDialect,
                "/$schema"
            ),
            (##"{"$schema":"https://example.test/mine"}"##, .unsupportedDialect, "/$schema"),
            (##"{"$schema":7}"##, .invalidSchema, "/$schema"),
            (
                ##"{"$dynamicRef":"#n","$dynamicAnchor":"n","##
                    + ##""not":{"$id":"b","$dynamicAnchor":"n"}}"##,
                .unsupportedKeyword, "/$dynamicRef"
            ),
        ] as [(String, SchemaError.Code, String)])
    func refused(text: String, code: SchemaError.Code, pointer: String) throws {
        let document = try JSONValue(parsing: text)
        let error = #expect(throws: SchemaError.self) { try Schema(compiling: document) }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.pointer.description == pointer)
    }

    @Test("a schema is compiled from its entry, and only what that reaches")
    func entry() throws {
        let document: JSONValue = [
            "$defs": ["a": ["$ref": "#/$defs/b"], "b": ["type": "integer"], "bad": ["type": "x"]]
        ]
        let schema = try Schema(compiling: document, at: "#/$defs/a")
        #expect(schema.validate(1).isEmpty)
        #expect(schema.validate("a").count == 1)
        #expect(throws: SchemaError.self) { try Schema(compiling: document, at: "#/$defs/bad") }
        #expect(throws: SchemaError.self) { try Schema(compiling: document, at: "#/$defs/none") }
    }
}
