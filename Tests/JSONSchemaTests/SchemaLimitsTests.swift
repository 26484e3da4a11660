import Foundation
import JSONSchema
import OrderedJSON
import Testing

@Suite("JSON Schema limits")
struct SchemaLimitsTests {
    @Test("a schema that refers to itself without end is given up, not followed")
    func endlessReferences() throws {
        let loops: [JSONValue] = [
            ["$ref": "#"],
            [
                "$ref": "#/$defs/a",
                "$defs": ["a": ["$ref": "#/$defs/b"], "b": ["$ref": "#/$defs/a"]],
            ],
            ["allOf": [["$ref": "#"]]], ["not": ["$ref": "#"]], ["anyOf": [["$ref": "#"], true]],
        ]
        for loop in loops {
            #expect(try Schema(compiling: loop).validate(1).map(\.keyword) == ["$limit"])
        }
    }

    @Test("a schema that doubles its work at each level is given up", .timeLimit(.minutes(1)))
    func exponential() throws {
        var definitions: JSONObject = ["d0": ["type": "integer"]]
        for level in 1...60 {
            let below: JSONValue = ["$ref": .string("#/$defs/d\(level - 1)")]
            definitions["d\(level)"] = ["anyOf": [["allOf": [below, false]], below]]
        }
        let document: JSONValue = ["$ref": "#/$defs/d60", "$defs": .object(definitions)]
        let schema = try Schema(compiling: document, limits: SchemaLimits(steps: 50_000))
        #expect(schema.validate("a").map(\.keyword) == ["$limit"])
    }

    @Test("many large comparisons are given up", .timeLimit(.minutes(1)))
    func comparisons() throws {
        let large = JSONValue.array((0..<2_000).map { .number(JSONNumber($0)) })
        let branches = JSONValue.array(
            (0..<500).map { ["not": ["const": [.number(JSONNumber($0))]]] })
        let schema = try Schema(compiling: ["allOf": branches], limits: SchemaLimits(steps: 5_000))
        #expect(schema.validate(large).map(\.keyword) == ["$limit"])
    }

    @Test("at most the first ten violations are reported")
    func manyViolations() throws {
        let schema = try Schema(compiling: ["items": ["type": "integer"], "uniqueItems": true])
        let value = JSONValue.array((0..<1_000).map { .string("\($0)") })
        let paths = schema.validate(value).map(\.path)
        #expect(paths == (0..<10).map { "[\($0)]" })
    }

    @Test("more schemas than the limit are refused")
    func manySchemas() {
        let members = (0..<50).map { ("p\($0)", JSONValue.bool(true)) }
        let document: JSONValue = ["properties": .object(JSONObject(members))]
        let error = #expect(throws: SchemaError.self) {
            try Schema(compiling: document, limits: SchemaLimits(schemas: 50))
        }
        #expect(error?.code == .tooLarge)
        #expect(throws: Never.self) {
            try Schema(compiling: document, limits: SchemaLimits(schemas: 51))
        }
    }

    @Test("the deepest check fits a stack of 1 MiB")
    func smallStack() async {
        let keywords = await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: Self.checkDeepValues()) }
            thread.stackSize = 1 << 20
            thread.start()
        }
        #expect(keywords == ["[]", "[\"$limit\"]", "[\"$limit\"]"])
    }

    private static func checkDeepValues() -> [String] {
        var value: JSONValue = []
        // Each level takes two of the check: the schema of the member and what that refers to.
        for level in 0..<127 { value = level % 2 == 0 ? [value] : ["a": value] }
        let schemas: [JSONValue] = [
            ["items": ["$ref": "#"], "properties": ["a": ["$ref": "#"]]],
            ["$ref": "#"],
            ["not": ["anyOf": [["oneOf": [["if": true, "then": ["allOf": [["$ref": "#"]]]]]]]]],
        ]
        do {
            return try schemas.map { schema in
                "\(try Schema(compiling: schema).validate(value).map(\.keyword))"
            }
        } catch {
            return ["\(error)"]
        }
    }

    @Test("a schema as deep as JSON may be compiles on a small stack")
    func deepSchema() async throws {
        var document: JSONValue = ["type": "integer"]
        var value: JSONValue = "a"
        for _ in 0..<100 { (document, value) = (["items": document], [value]) }
        let (deep, broken) = (document, value)
        let count = await withCheckedContinuation { continuation in
            let thread = Thread {
                do {
                    let schema = try Schema(compiling: deep)
                    continuation.resume(returning: schema.validate(broken).count)
                } catch {
                    continuation.resume(returning: -1)
                }
            }
            thread.stackSize = 512 << 10
            thread.start()
        }
        #expect(count == 1)
    }
}
