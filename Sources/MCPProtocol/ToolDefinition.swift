public import OrderedJSON

/// What a server says about one of its tools; members without a property here are kept.
///
/// Source: 2026-07-28 tools, "Tool".
public struct ToolDefinition: Hashable, Sendable {
    /// All members, in the order they came.
    public private(set) var json: JSONObject

    /// A tool of these parts.
    ///
    /// `inputSchema` is a JSON Schema whose root is an object; `outputSchema` is what the
    /// structured result conforms to, where that is promised.
    public init(
        name: String, title: String? = nil, description: String? = nil,
        inputSchema: JSONObject, outputSchema: JSONObject? = nil,
        annotations: ToolAnnotations? = nil, icons: [JSONValue]? = nil, meta: JSONObject? = nil
    ) {
        json = ["name": .string(name)]
        json["title"] = title.map(JSONValue.string)
        json["description"] = description.map(JSONValue.string)
        json["inputSchema"] = .object(inputSchema)
        json["outputSchema"] = outputSchema.map(JSONValue.object)
        json["annotations"] = annotations.map { .object($0.json) }
        json["icons"] = icons.map(JSONValue.array)
        json["_meta"] = meta.map(JSONValue.object)
    }

    /// Reads one, and keeps it as it is.
    ///
    /// - Throws: ``MalformedMessage`` where the name or the input schema is missing, or a member
    ///   that has a property here is of another kind.
    public init(json value: JSONValue) throws(MalformedMessage) {
        guard let json = value.objectValue, let name = json["name"]?.stringValue else {
            throw .invalidParams("a tool must be an object with a 'name'.")
        }
        guard json["inputSchema"]?.objectValue != nil else {
            throw .invalidParams("tool '\(name)': 'inputSchema' must be an object.")
        }
        for key in ["outputSchema", "annotations", "_meta"] {
            guard let member = json[key] else { continue }
            guard member.objectValue != nil else {
                throw .invalidParams("tool '\(name)': '\(key)' must be an object.")
            }
        }
        for key in ["title", "description"] {
            guard let member = json[key] else { continue }
            guard member.stringValue != nil else {
                throw .invalidParams("tool '\(name)': '\(key)' must be a string.")
            }
        }
        self.json = json
    }

    /// The name by which it is called.
    public var name: String {
        get { json["name"]?.stringValue ?? "" }
        set { json["name"] = .string(newValue) }
    }

    /// The name for people.
    public var title: String? {
        get { json["title"]?.stringValue }
        set { json["title"] = newValue.map(JSONValue.string) }
    }

    /// What it does, for people and models.
    public var description: String? {
        get { json["description"]?.stringValue }
        set { json["description"] = newValue.map(JSONValue.string) }
    }

    /// The JSON Schema of its arguments.
    public var inputSchema: JSONObject {
        get { json["inputSchema"]?.objectValue ?? [:] }
        set { json["inputSchema"] = .object(newValue) }
    }

    /// The JSON Schema of its structured result, where it promises one.
    public var outputSchema: JSONObject? {
        get { json["outputSchema"]?.objectValue }
        set { json["outputSchema"] = newValue.map(JSONValue.object) }
    }

    /// What it says about its behaviour; empty where it says nothing.
    public var annotations: ToolAnnotations {
        get { ToolAnnotations(json: json["annotations"]?.objectValue ?? [:]) }
        set { json["annotations"] = newValue.json.isEmpty ? nil : .object(newValue.json) }
    }

    /// Its pictures.
    public var icons: [JSONValue]? {
        get { json["icons"]?.arrayValue }
        set { json["icons"] = newValue.map(JSONValue.array) }
    }

    /// Its metadata.
    public var meta: JSONObject? {
        get { json["_meta"]?.objectValue }
        set { json["_meta"] = newValue.map(JSONValue.object) }
    }

    /// Takes away a member that has no property here, such as a legacy `execution`.
    public mutating func remove(_ key: String) { json[key] = nil }
}

/// A tool's hints about its behaviour: claims, not proof.
public struct ToolAnnotations: Hashable, Sendable {
    /// All members, in the order they came.
    public private(set) var json: JSONObject

    /// Reads the hints; those of another kind than a truth value read as absent.
    public init(json: JSONObject) { self.json = json }

    /// Hints of these values; nil leaves one out.
    public init(
        title: String? = nil, readOnly: Bool? = nil, destructive: Bool? = nil,
        idempotent: Bool? = nil, openWorld: Bool? = nil
    ) {
        json = [:]
        json["title"] = title.map(JSONValue.string)
        json["readOnlyHint"] = readOnly.map(JSONValue.bool)
        json["destructiveHint"] = destructive.map(JSONValue.bool)
        json["idempotentHint"] = idempotent.map(JSONValue.bool)
        json["openWorldHint"] = openWorld.map(JSONValue.bool)
    }

    /// The name for people.
    public var title: String? { json["title"]?.stringValue }

    /// It changes nothing; absent means it may.
    public var readOnly: Bool? { json["readOnlyHint"]?.boolValue }

    /// It may destroy; absent means it may, unless it is read-only.
    public var destructive: Bool? { json["destructiveHint"]?.boolValue }

    /// Calling it again with the same arguments changes nothing more; absent means it may.
    public var idempotent: Bool? { json["idempotentHint"]?.boolValue }

    /// It reaches outside; absent means it may.
    public var openWorld: Bool? { json["openWorldHint"]?.boolValue }
}
