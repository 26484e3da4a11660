import FoundationEssentials
import JSONSchema
import OrderedJSON
import Testing

@Suite("JSON Schema cases")
struct SchemaCaseTests {
    static func cases() throws -> [JSONValue] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "fixtures/json-schema/cases.json")
        return try JSONValue(parsing: Data(contentsOf: path)).arrayValue ?? []
    }

    @Test("every case has the verdict it should have")
    func verdicts() throws {
        let cases = try Self.cases()
        #expect(cases.count > 90)
        for item in cases {
            let name = item["name"]?.stringValue ?? ""
            do {
                let schema = try Schema(compiling: item["schema"] ?? .null)
                for value in item["valid"]?.arrayValue ?? [] {
                    let violations = schema.validate(value)
                    #expect(violations.isEmpty, "\(name): \(value) gave \(violations)")
                }
                for value in item["invalid"]?.arrayValue ?? [] {
                    #expect(!schema.validate(value).isEmpty, "\(name): \(value) was taken as valid")
                }
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
    }

    @Test("a schema gives the same verdicts inside allOf, anyOf, oneOf and behind a reference")
    func wrapped() throws {
        for item in try Self.cases() {
            let schema = item["schema"] ?? .null
            // A schema that names places from the root cannot be moved.
            guard !schema.text.contains("#"), schema["$schema"] == nil else { continue }
            let wrappings: [JSONValue] = [
                ["allOf": [schema, true]], ["anyOf": [false, schema]], ["oneOf": [schema, false]],
                ["$ref": "#/$defs/inner", "$defs": ["inner": schema]],
                ["if": schema, "else": false], ["not": ["not": schema]],
                ["properties": ["value": schema]],
            ]
            for wrapping in wrappings {
                let compiled = try Schema(compiling: wrapping)
                let isMember = wrapping["properties"] != nil
                for value in item["valid"]?.arrayValue ?? [] {
                    let value = isMember ? ["value": value] : value
                    #expect(compiled.validate(value).isEmpty, "\(wrapping) refused \(value)")
                }
                for value in item["invalid"]?.arrayValue ?? [] {
                    let value = isMember ? ["value": value] : value
                    #expect(!compiled.validate(value).isEmpty, "\(wrapping) took \(value)")
                }
            }
        }
    }
}
