internal import OrderedJSON

/// A JSON Schema in the form that every client accepts: its root a plain object, no references.
///
/// What is shown may say less than what is checked: arguments are checked by the schema as it was
/// pinned.
enum PlainSchema {
    /// How much larger than this a schema may not become by putting in what it refers to.
    private static let bytesLimit = 64 << 10
    private static let rootCombinations = [
        "anyOf", "oneOf", "allOf", "not", "if", "then", "else", "$ref", "$dynamicRef",
    ]

    /// The schema of a tool's arguments.
    static func input(_ schema: JSONObject) -> JSONObject {
        var plain = inlined(schema)
        for key in rootCombinations { plain[key] = nil }
        plain["type"] = "object"
        if plain["properties"]?.objectValue == nil { plain["properties"] = [:] }
        return plain
    }

    /// The schema of a tool's structured result, or nil where it is no object at its root.
    ///
    /// Its root keeps its combinations: a result must conform to what is promised.
    static func output(_ schema: JSONObject) -> JSONObject? {
        let plain = inlined(schema)
        guard plain["type"]?.stringValue == "object" else { return nil }
        return rootCombinations.contains { plain[$0] != nil } ? nil : plain
    }

    private static func inlined(_ schema: JSONObject) -> JSONObject {
        var inliner = SchemaInliner(root: schema, bytesLimit: bytesLimit)
        let whole = inliner.run() ?? .object(schema)
        return SchemaInliner.cleaningTexts(whole).objectValue ?? schema
    }
}

/// Puts what a schema refers to in its own `$defs` where it refers to it.
struct SchemaInliner {
    private static let depthLimit = 64
    /// Keywords whose members are schemas under free names.
    private static let maps: Set = [
        "properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
    ]
    /// Keywords that hold values and no schemas.
    private static let values: Set = ["enum", "const", "default", "examples", "required"]
    private static let texts: Set = ["title", "description", "$comment"]

    private let root: JSONValue
    private var bytesLeft: Int
    private var following: [String] = []
    private var failed = false

    init(root: JSONObject, bytesLimit: Int) {
        self.root = .object(root)
        bytesLeft = bytesLimit
    }

    /// The schema without references; nil where one leads round in a circle or nowhere, or where
    /// the schema would become too large.
    mutating func run() -> JSONValue? {
        guard var schema = schema(root, depth: 0).objectValue, !failed else { return nil }
        schema["$defs"] = nil
        schema["definitions"] = nil
        return .object(schema)
    }

    private mutating func schema(_ value: JSONValue, depth: Int) -> JSONValue {
        guard !failed, depth < Self.depthLimit else {
            failed = true
            return value
        }
        switch value {
        case .array(let elements): return .array(elements.map { schema($0, depth: depth + 1) })
        case .object(let object):
            var result = JSONObject()
            for member in object.members where member.key != "$ref" {
                if depth == 0, member.key == "$defs" || member.key == "definitions" { continue }
                result[member.key] = self.member(member, depth: depth)
            }
            guard let reference = object["$ref"]?.stringValue else { return .object(result) }
            return followed(reference, beside: result, depth: depth)
        default: return value
        }
    }

    private mutating func member(_ member: JSONObject.Member, depth: Int) -> JSONValue {
        if Self.values.contains(member.key) { return member.value }
        guard Self.maps.contains(member.key), let map = member.value.objectValue else {
            return schema(member.value, depth: depth + 1)
        }
        return .object(JSONObject(map.members.map { ($0.key, schema($0.value, depth: depth + 1)) }))
    }

    private mutating func followed(
        _ reference: String, beside siblings: JSONObject, depth: Int
    ) -> JSONValue {
        guard reference.hasPrefix("#"), !following.contains(reference),
            // Anything else after the sign is a name, which is rare and is left alone.
            let pointer = try? JSONPointer(parsing: String(reference.dropFirst())),
            let target = root[pointer]
        else {
            failed = true
            return .object(siblings)
        }
        following.append(reference)
        let inlined = schema(target, depth: depth + 1)
        following.removeLast()
        bytesLeft -= inlined.serialized().count
        if bytesLeft < 0 { failed = true }
        guard var merged = inlined.objectValue else {
            return siblings.isEmpty ? inlined : .object(siblings)
        }
        let clashes = siblings.keys.filter { merged[$0] != nil && !Self.texts.contains($0) }
        guard clashes.isEmpty else {
            var both = siblings
            both["allOf"] = .array([inlined] + (siblings["allOf"]?.arrayValue ?? []))
            return .object(both)
        }
        for member in siblings.members { merged[member.key] = member.value }
        return .object(merged)
    }

    /// The schema with its titles and descriptions free of hidden characters.
    static func cleaningTexts(_ value: JSONValue) -> JSONValue {
        switch value {
        case .array(let elements): return .array(elements.map(cleaningTexts))
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map { member in
                        if texts.contains(member.key), let text = member.value.stringValue {
                            return (member.key, .string(VisibleText.cleaned(text)))
                        }
                        if values.contains(member.key) { return (member.key, member.value) }
                        return (member.key, cleaningTexts(member.value))
                    }))
        default: return value
        }
    }
}
