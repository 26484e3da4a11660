/// The names of methods and notifications.
public enum Method {
    /// Asks for the versions and capabilities of a modern server.
    public static let discover = "server/discover"
    /// Opens a legacy connection.
    public static let initialize = "initialize"
    /// Asks a legacy peer whether it is there.
    public static let ping = "ping"
    /// Lists the tools, by pages.
    public static let listTools = "tools/list"
    /// Calls a tool.
    public static let callTool = "tools/call"
    /// Reads a resource.
    public static let readResource = "resources/read"
    /// Gets a prompt.
    public static let getPrompt = "prompts/get"

    /// Subscribes to notifications, until it is cancelled.
    public static let listen = "subscriptions/listen"

    /// A legacy client is ready.
    public static let initialized = "notifications/initialized"
    /// A request is no longer wanted.
    public static let cancelled = "notifications/cancelled"
    /// How far a request has come.
    public static let progress = "notifications/progress"
    /// The list of tools has changed.
    public static let toolListChanged = "notifications/tools/list_changed"
}

/// The keys of `_meta`.
public enum MetaKey {
    /// The revision that a modern request is written in; required there.
    public static let protocolVersion = "io.modelcontextprotocol/protocolVersion"
    /// What the client of a modern request can do; required there.
    public static let clientCapabilities = "io.modelcontextprotocol/clientCapabilities"
    /// The name and version of the client.
    public static let clientInfo = "io.modelcontextprotocol/clientInfo"
    /// The name and version of the server, in every modern result.
    public static let serverInfo = "io.modelcontextprotocol/serverInfo"
    /// The least severe log message that the client wants for this request.
    public static let logLevel = "io.modelcontextprotocol/logLevel"
    /// The subscription that a notification belongs to.
    public static let subscriptionID = "io.modelcontextprotocol/subscriptionId"
    /// What ties progress notifications to the request.
    public static let progressToken = "progressToken"
    /// The W3C trace context's parent.
    public static let traceParent = "traceparent"
    /// The W3C trace context's state.
    public static let traceState = "tracestate"
    /// The W3C baggage.
    public static let baggage = "baggage"

    /// The key of one effect, the same on each retry; sent to upstreams.
    public static let idempotencyKey = "dev.durable-mcp/idempotencyKey"
    /// The caller's id of one piece of work; a retry with it finds the first run.
    public static let requestID = "dev.durable-mcp/requestId"
    /// The run behind a result.
    public static let run = "dev.durable-mcp/run"
}

/// The names of HTTP headers, as they are written.
public enum HeaderName {
    /// The revision that the body is written in.
    public static let protocolVersion = "MCP-Protocol-Version"
    /// The body's method.
    public static let method = "Mcp-Method"
    /// The tool, prompt or resource that the body names.
    public static let name = "Mcp-Name"
    /// The caller's id of one piece of work, as ``MetaKey/requestID`` in the body.
    public static let idempotencyKey = "Idempotency-Key"
}

/// The values of `resultType`.
public enum ResultType {
    /// The result is final; what an absent `resultType` means too.
    public static let complete = "complete"
    /// The client must answer questions and ask again.
    public static let inputRequired = "input_required"
}
