public import MCPProtocol
public import OrderedJSON

/// What is known about a tool call that was made, or tried, on an upstream server.
public enum UpstreamCallOutcome: Sendable {
    /// The tool answered, be it with a result that says `isError`: it has run.
    case result(CallToolResult)
    /// The tool was certainly not run.
    case before(UpstreamError)
    /// The tool may have run, or may still be running; never to be read as failed.
    case unknown(UpstreamError)
}

/// One tool call.
public struct UpstreamCall: Sendable {
    /// The tool's name, as the server lists it.
    public var tool: String
    /// The arguments, sent with the digits and the order they have; nil sends none.
    public var arguments: JSONObject?
    /// More members for the request's `_meta`: the idempotency key, the trace.
    public var meta: JSONObject
    /// How long to wait for the answer, from when the server is ready.
    public var timeout: Duration
    /// The most bytes that the answer may have; nil for the limit of the connection.
    public var maximumResultBytes: Int?
    /// Hears of progress, on the connection's thread: it must return quickly.
    public var onProgress: (@Sendable (UpstreamProgress) -> Void)?

    /// A call of these parts.
    public init(
        tool: String, arguments: JSONObject?, meta: JSONObject = [:],
        timeout: Duration = .seconds(60), maximumResultBytes: Int? = nil,
        onProgress: (@Sendable (UpstreamProgress) -> Void)? = nil
    ) {
        self.tool = tool
        self.arguments = arguments
        self.meta = meta
        self.timeout = timeout
        self.maximumResultBytes = maximumResultBytes
        self.onProgress = onProgress
    }
}

/// How far a call has come, as its server says.
public struct UpstreamProgress: Hashable, Sendable {
    /// The progress so far, in the server's own unit.
    public let progress: JSONNumber
    /// What it counts up to, where that is known.
    public let total: JSONNumber?
    /// What is being done, for people.
    public let message: String?
}
