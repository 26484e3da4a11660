public import OrderedJSON

/// What `server/discover` gives.
public struct DiscoverResult: Hashable, Sendable {
    /// The versions, as the server wrote them; some may be unknown here.
    public var supportedVersions: [String]
    /// What the server offers.
    public var capabilities: ServerCapabilities
    /// What models should know about using it.
    public var instructions: String?
    /// The server's name and version, where it gave them.
    public var serverInfo: Implementation?
    /// How long this holds.
    public var caching: Caching

    /// A result of these parts.
    public init(
        supportedVersions: [String], capabilities: ServerCapabilities, instructions: String?,
        serverInfo: Implementation?, caching: Caching
    ) {
        self.supportedVersions = supportedVersions
        self.capabilities = capabilities
        self.instructions = instructions
        self.serverInfo = serverInfo
        self.caching = caching
    }

    /// Reads the result of a server.
    ///
    /// - Throws: ``MalformedMessage`` where versions or capabilities are missing.
    public init(json: JSONObject) throws(MalformedMessage) {
        guard let versions = json["supportedVersions"]?.arrayValue,
            let capabilities = json["capabilities"]?.objectValue
        else {
            throw .invalidParams(
                "a discovery must have 'supportedVersions' and 'capabilities'.")
        }
        supportedVersions = versions.compactMap(\.stringValue)
        self.capabilities = ServerCapabilities(json: capabilities)
        instructions = json["instructions"]?.stringValue
        // Malformed counts as absent: it is for display, and never worth refusing a server.
        serverInfo = json["_meta"]?[MetaKey.serverInfo].flatMap { try? Implementation(json: $0) }
        caching = Caching(json: json)
    }

    /// The result as it goes on the wire, but for what every modern result bears.
    public var json: JSONObject {
        var json: JSONObject = [
            "supportedVersions": .array(supportedVersions.map(JSONValue.string)),
            "capabilities": .object(capabilities.json),
        ]
        json["instructions"] = instructions.map(JSONValue.string)
        caching.write(to: &json)
        return json
    }
}

/// What `initialize` gives.
public struct InitializeResult: Hashable, Sendable {
    /// The version that the server chose, as it wrote it.
    public var protocolVersion: String
    /// What the server offers.
    public var capabilities: ServerCapabilities
    /// The server's name and version.
    public var serverInfo: Implementation
    /// What models should know about using it.
    public var instructions: String?

    /// A result of these parts.
    public init(
        protocolVersion: String, capabilities: ServerCapabilities, serverInfo: Implementation,
        instructions: String?
    ) {
        self.protocolVersion = protocolVersion
        self.capabilities = capabilities
        self.serverInfo = serverInfo
        self.instructions = instructions
    }

    /// Reads the result of a server.
    ///
    /// - Throws: ``MalformedMessage`` where a required member is missing.
    public init(json: JSONObject) throws(MalformedMessage) {
        guard let version = json["protocolVersion"]?.stringValue else {
            throw .invalidParams("the result of 'initialize' must have a 'protocolVersion'.")
        }
        protocolVersion = version
        capabilities = ServerCapabilities(json: json["capabilities"]?.objectValue ?? [:])
        serverInfo = try Implementation(json: json["serverInfo"] ?? .null)
        instructions = json["instructions"]?.stringValue
    }

    /// The result as it goes on the wire.
    public var json: JSONObject {
        var json: JSONObject = [
            "protocolVersion": .string(protocolVersion),
            "capabilities": .object(capabilities.json),
            "serverInfo": .object(serverInfo.json),
        ]
        json["instructions"] = instructions.map(JSONValue.string)
        return json
    }
}

/// One page of `tools/list`.
public struct ListToolsResult: Hashable, Sendable {
    /// The tools of this page, in the server's order.
    public var tools: [ToolDefinition]
    /// Why tools of this page were left out; each message names the tool where it has a name.
    public var malformed: [MalformedMessage]
    /// Where the next page starts; nil on the last one, and an empty string is no end.
    public var nextCursor: String?
    /// How long this page holds.
    public var caching: Caching

    /// A page of these parts.
    public init(tools: [ToolDefinition], nextCursor: String? = nil, caching: Caching) {
        self.tools = tools
        malformed = []
        self.nextCursor = nextCursor
        self.caching = caching
    }

    /// Reads a page; a malformed tool is left out, and does not spoil the others.
    ///
    /// - Throws: ``MalformedMessage`` where there is no list of tools at all.
    public init(json: JSONObject) throws(MalformedMessage) {
        guard let list = json["tools"]?.arrayValue else {
            throw .invalidParams("the result of 'tools/list' must have 'tools'.")
        }
        tools = []
        malformed = []
        for tool in list {
            do throws(MalformedMessage) {
                tools.append(try ToolDefinition(json: tool))
            } catch {
                malformed.append(error)
            }
        }
        nextCursor = json["nextCursor"]?.stringValue
        caching = Caching(json: json)
    }
}
