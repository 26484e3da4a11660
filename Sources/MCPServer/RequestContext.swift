public import MCPProtocol
public import OrderedJSON

/// The way a request came.
public enum TransportKind: Hashable, Sendable {
    /// A line on standard input.
    case stdio
    /// An HTTP POST.
    case http
}

/// What a handler knows about a request besides its parameters.
public struct RequestContext<Identity: Sendable>: Sendable {
    /// Who calls, as the transport's authenticator found out.
    public let identity: Identity
    /// The way it came.
    public let transport: TransportKind
    /// The revision that the answer is written in.
    public let protocolVersion: ProtocolVersion
    /// The client's name and version; for display, not for decisions.
    public let clientInfo: Implementation?
    /// What the client can do; empty where that is not known, as in the legacy era over HTTP.
    public let clientCapabilities: ClientCapabilities
    /// The request's `_meta`, whole.
    public let meta: JSONObject
    /// The caller's id of this piece of work: a retry bears the same.
    ///
    /// From `_meta["dev.durable-mcp/requestId"]`, or over HTTP from the `Idempotency-Key`
    /// header; 1 to 256 bytes.
    public let callerRequestID: String?
    /// Where to say how far the work has come.
    public let progress: ProgressSink

    /// A context of these parts, for tests of handlers.
    public init(
        identity: Identity, transport: TransportKind, protocolVersion: ProtocolVersion,
        clientInfo: Implementation? = nil, clientCapabilities: ClientCapabilities = .init(),
        meta: JSONObject = [:], callerRequestID: String? = nil,
        progress: ProgressSink = .discarding
    ) {
        self.identity = identity
        self.transport = transport
        self.protocolVersion = protocolVersion
        self.clientInfo = clientInfo
        self.clientCapabilities = clientCapabilities
        self.meta = meta
        self.callerRequestID = callerRequestID
        self.progress = progress
    }

    /// How the client works.
    public var era: ProtocolVersion.Era { protocolVersion.era }
}
