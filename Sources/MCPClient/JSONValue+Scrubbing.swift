internal import MCPProtocol
internal import OrderedJSON

extension JSONValue {
    /// The value with every text in it changed, keys left as they are.
    func mapStrings(_ change: (String) -> String) -> JSONValue {
        switch self {
        case .string(let text): .string(change(text))
        case .array(let values): .array(values.map { $0.mapStrings(change) })
        case .object(let object): .object(object.mapStrings(change))
        case .null, .bool, .number: self
        }
    }
}

extension JSONObject {
    /// The object with every text in its values changed.
    func mapStrings(_ change: (String) -> String) -> JSONObject {
        JSONObject(members.map { ($0.key, $0.value.mapStrings(change)) })
    }
}

extension CallToolResult {
    /// The result without known secrets.
    ///
    /// - Throws: ``MalformedMessage``, as reading a result does.
    func scrubbed(by scrub: (String) -> String) throws(MalformedMessage) -> CallToolResult {
        try CallToolResult(json: json.mapStrings(scrub))
    }
}
