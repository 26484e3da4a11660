import MCPProtocol
import OrderedJSON

/// Gives a result the form of the revision that its request is written in.
///
/// What only one era knows is put on here and taken off here, so that neither leaks into the
/// other, whatever a handler passes on from an upstream.
struct ResultShape: Sendable {
    let version: ProtocolVersion
    let server: Implementation

    /// What every result of the revision bears, around the members of this one.
    func result(_ members: JSONObject) -> JSONObject {
        guard version.isModern else {
            var result = members
            for key in ["resultType", "ttlMs", "cacheScope"] { result[key] = nil }
            if var meta = result["_meta"]?.objectValue, meta[MetaKey.serverInfo] != nil {
                meta[MetaKey.serverInfo] = nil
                result["_meta"] = meta.isEmpty ? nil : .object(meta)
            }
            return result
        }
        var result: JSONObject = ["resultType": .string(ResultType.complete)]
        for member in members.members where member.key != "resultType" {
            result[member.key] = member.value
        }
        var meta = result["_meta"]?.objectValue ?? [:]
        meta[MetaKey.serverInfo] = .object(server.json)
        result["_meta"] = .object(meta)
        return result
    }

    /// A page of tools.
    func toolList(_ page: ListToolsResult) -> JSONObject {
        var members: JSONObject = ["tools": .array(page.tools.map { .object(tool($0).json) })]
        members["nextCursor"] = page.nextCursor.map(JSONValue.string)
        page.caching.write(to: &members)
        return result(members)
    }

    /// What a tool gave.
    func toolResult(_ toolResult: CallToolResult) -> JSONObject {
        var toolResult = toolResult
        if !version.isModern, let structured = toolResult.structuredContent,
            structured.objectValue == nil
        {
            toolResult.structuredContent = nil
        }
        return result(toolResult.json)
    }

    /// The server's name and version; members that the revision does not know are left out.
    var serverInfo: Implementation {
        guard version < .v2025_11_25 else { return server }
        return Implementation(name: server.name, version: server.version, title: server.title)
    }

    private func tool(_ tool: ToolDefinition) -> ToolDefinition {
        var tool = tool
        if version.isModern || version < .v2025_11_25 { tool.remove("execution") }
        if version < .v2025_11_25 { tool.icons = nil }
        if !version.isModern, let schema = tool.outputSchema, schema["type"] != "object" {
            // Before 2026-07-28 a structured result was always an object.
            tool.outputSchema = nil
        }
        return tool
    }
}
