public import OrderedJSON

/// What a tool gave back; members without a property here are kept.
///
/// The `resultType` of the modern era is no part of it: who encodes a reply adds it.
public struct CallToolResult: Hashable, Sendable {
    /// All members but `resultType`, in the order they came.
    public private(set) var json: JSONObject

    /// A result of these parts.
    public init(
        content: [JSONValue], structuredContent: JSONValue? = nil, isError: Bool = false,
        meta: JSONObject? = nil
    ) {
        json = ["content": .array(content)]
        json["structuredContent"] = structuredContent
        if isError { json["isError"] = true }
        json["_meta"] = meta.map(JSONValue.object)
    }

    /// A result of one text.
    public init(text: String, structuredContent: JSONValue? = nil, isError: Bool = false) {
        self.init(
            content: [Self.text(text)], structuredContent: structuredContent, isError: isError)
    }

    /// Reads the result of a `tools/call` that is complete; look at its `resultType` first.
    ///
    /// Old servers leave `content` out: it reads as empty.
    ///
    /// - Throws: ``MalformedMessage`` where a member is of another kind than the protocol says.
    public init(json: JSONObject) throws(MalformedMessage) {
        self.json = json
        self.json["resultType"] = nil
        switch json["content"] {
        case nil: self.json["content"] = []
        case .array: break
        default: throw .invalidParams("'content' of a tool's result must be an array.")
        }
        if let isError = json["isError"], isError.boolValue == nil {
            throw .invalidParams("'isError' of a tool's result must be true or false.")
        }
        if let meta = json["_meta"], meta.objectValue == nil {
            throw .invalidParams("'_meta' of a tool's result must be an object.")
        }
    }

    /// The content blocks, in order.
    public var content: [JSONValue] {
        get { json["content"]?.arrayValue ?? [] }
        set { json["content"] = .array(newValue) }
    }

    /// The result for programs, where there is one.
    public var structuredContent: JSONValue? {
        get { json["structuredContent"] }
        set { json["structuredContent"] = newValue }
    }

    /// Whether the tool says that it failed.
    public var isError: Bool {
        get { json["isError"]?.boolValue ?? false }
        set { json["isError"] = newValue ? true : nil }
    }

    /// Metadata.
    public var meta: JSONObject? {
        get { json["_meta"]?.objectValue }
        set { json["_meta"] = newValue.map(JSONValue.object) }
    }

    /// The texts of its text blocks, each on a line of its own.
    public var text: String {
        content.filter { $0["type"] == "text" }.compactMap { $0["text"]?.stringValue }
            .joined(separator: "\n")
    }

    /// A content block of text.
    public static func text(_ text: String) -> JSONValue {
        ["type": "text", "text": .string(text)]
    }
}
