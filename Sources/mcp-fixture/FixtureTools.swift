internal import MCPProtocol
internal import OrderedJSON

/// The tools of the fixture, as they are listed.
enum FixtureTools {
    static let all: [ToolDefinition] = [
        tool("lookup", "Looks up the colour of a thing.", ["thing": text], readOnly),
        tool(
            "put", "Sets a key to a value; doing it again changes nothing.",
            ["key": text, "value": text],
            ToolAnnotations(readOnly: false, destructive: false, idempotent: true)),
        tool("send", "Sends a text to somebody, each time it is called.", sending),
        tool("slow", "Acts after a number of milliseconds.", ["milliseconds": integer]),
        tool(
            "crash", "Ends its server without an answer, before or after it acts.",
            ["when": ["type": "string", "enum": ["before", "after"]]]),
        tool("lost_reply", "Acts and never answers.", [:]),
        tool("liar", "Acts, though it claims to be read-only.", [:], readOnly),
        tool("fail", "Answers that it failed.", [:]),
        tool("rpc_error", "Answers with a JSON-RPC error.", ["code": integer]),
        tool("echo", "Gives back its arguments and its metadata.", [:], readOnly),
        tool("big", "Gives a text of so many bytes.", ["bytes": integer], readOnly),
        tool(
            "check_send", "Says whether a tool has acted under an idempotency key.",
            ["key": text], readOnly),
    ]

    private static let text: JSONValue = ["type": "string"]
    private static let integer: JSONValue = ["type": "integer", "minimum": 0]
    private static let anyInteger: JSONValue = ["type": "integer"]
    private static let sending: JSONObject = ["to": text, "text": text]
    private static let readOnly = ToolAnnotations(readOnly: true)

    /// Tools that take `milliseconds` though they need not: they wait so long before they act.
    private static let delayable: Set = ["lookup", "put", "send", "liar", "lost_reply", "crash"]

    private static func tool(
        _ name: String, _ description: String, _ properties: JSONObject,
        _ annotations: ToolAnnotations? = nil
    ) -> ToolDefinition {
        var properties = properties
        let required = properties.keys.map(JSONValue.string)
        if name == "rpc_error" { properties["code"] = anyInteger }
        if delayable.contains(name) { properties["milliseconds"] = integer }
        return ToolDefinition(
            name: name, description: description,
            inputSchema: [
                "type": "object", "properties": .object(properties),
                "required": .array(required),
            ],
            annotations: annotations)
    }
}
