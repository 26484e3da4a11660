public import EpollServer
import MCPProtocol
import OrderedJSON

/// Serves MCP over HTTP: one endpoint, one message a POST, nothing kept between two of them.
///
/// Use ``respond(to:)`` as the handler of an ``EpollServer/HTTPServer``. Cancelling its task, as
/// the server does when the client goes away, cancels the request.
///
/// Source: 2026-07-28 Streamable HTTP; 2025-11-25 transports, "Streamable HTTP".
public struct StreamableHTTPBinding<Handler: MCPHandler>: Sendable {
    /// What is let in, and where.
    public struct Configuration: Sendable {
        /// The path of the endpoint.
        public var path = "/mcp"
        /// Which `Host` and `Origin` headers are let in.
        public var origins = OriginPolicy()
        /// How many bytes a message may have.
        public var messageBytes = 4 << 20

        /// The usual configuration, for a server on this machine alone.
        public init() {}
    }

    let router: Router<Handler>
    let configuration: Configuration
    let authenticate: @Sendable (HTTPHeaders) async -> Authentication<Handler.Identity>

    /// A binding of a router.
    ///
    /// `authenticate` sees the headers of every request, before anything reads its body.
    public init(
        router: Router<Handler>, configuration: Configuration = Configuration(),
        authenticate: @escaping @Sendable (HTTPHeaders) async -> Authentication<Handler.Identity>
    ) {
        self.router = router
        self.configuration = configuration
        self.authenticate = authenticate
    }

    /// Answers one HTTP request.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch await reply(to: request) {
        case .whole(let status, let headers, let body):
            return .whole(status, headers: headers, body: body)
        case .events(let call, let first):
            return .events { writer in
                try await call.follow(from: first) { try await writer.write($0) }
            }
        }
    }
}

/// An answer, before it is HTTP.
enum HTTPReply: Sendable {
    /// All at once.
    case whole(status: Int, headers: HTTPHeaders, body: [UInt8])
    /// Notifications, and the answer at the end.
    case events(StreamedCall, first: StreamedCall.Event)

    static func message(_ message: JSONRPCMessage, status: Int) -> Self {
        .whole(
            status: status, headers: ["Content-Type": "application/json"],
            body: MessageCoding.encode(message))
    }

    /// A refusal of what was not read, and so has no id.
    static func refused(
        _ status: Int, _ reason: String, headers: HTTPHeaders = [:]
    ) -> Self {
        var headers = headers
        headers["Content-Type"] = "application/json"
        let error = RPCError(kind: .invalidRequest, message: reason)
        return .whole(
            status: status, headers: headers,
            body: MessageCoding.encode(.error(id: nil, error: error)))
    }

    static func outcome(_ outcome: Outcome, id: RequestID) -> Self {
        switch outcome {
        case .result(let result): .message(.result(id: id, result: result), status: 200)
        case .failure(let error, let status): .message(.error(id: id, error: error), status: status)
        // Nobody is there to read it, unless the server is stopping.
        case .cancelled: .refused(503, "The request was cancelled.")
        }
    }
}

// MARK: - From the request to the router

extension StreamableHTTPBinding {
    func reply(to request: HTTPRequest) async -> HTTPReply {
        guard request.path == configuration.path else {
            return .refused(404, "There is nothing at this path; MCP is at \(configuration.path).")
        }
        if let reason = configuration.origins.refusal(
            authority: request.authority, origins: request.headers.values(for: "Origin"))
        {
            return .refused(403, "Forbidden: \(reason)")
        }
        guard request.method == "POST" else {
            return .refused(405, "Only POST is served here.", headers: ["Allow": "POST"])
        }
        let identity: Handler.Identity
        switch await authenticate(request.headers) {
        case .allowed(let caller): identity = caller
        case .unauthorized(let challenge, let reason):
            return .refused(
                401, "Unauthorized: \(reason)", headers: ["WWW-Authenticate": challenge])
        case .forbidden(let reason): return .refused(403, "Forbidden: \(reason)")
        }
        let accepted = MediaTypes.accepted(request.headers.values(for: "Accept"))
        guard accepted.json || accepted.events else {
            return .refused(
                406, "Accept must name application/json and text/event-stream.")
        }
        guard MediaTypes.isJSON(request.headers["Content-Type"]) else {
            return .refused(415, "Content-Type must be application/json.")
        }
        let coding = request.headers["Content-Encoding"]?.lowercased() ?? "identity"
        guard coding == "identity" else {
            return .refused(415, "Content-Encoding must be left out.")
        }
        guard request.body.count <= configuration.messageBytes else {
            return .refused(
                413, "The message is larger than \(configuration.messageBytes) bytes.")
        }
        // Parsing and tools may take long, and the loop that serves all connections must not.
        return await withTaskExecutorPreference(globalConcurrentExecutor) {
            await reply(toMessageIn: request, identity, accepted)
        }
    }

    private func reply(
        toMessageIn request: HTTPRequest, _ identity: Handler.Identity,
        _ accepted: MediaTypes.Accepted
    ) async -> HTTPReply {
        let message: JSONRPCMessage
        do throws(Undecodable) {
            message = try MessageCoding.decode(
                request.body, limitBytes: configuration.messageBytes)
        } catch {
            return .message(.error(id: error.id, error: error.error), status: 400)
        }
        var id: RequestID?
        do throws(Refusal) {
            switch message {
            case .request(let rpcRequest):
                id = rpcRequest.id
                let origin = try HeaderValidation.origin(of: rpcRequest, headers: request.headers)
                let admission = try Admission(rpcRequest, from: origin)
                return await reply(to: admission, id: rpcRequest.id, identity, accepted)
            case .notification:
                // Nothing is kept between requests, so there is nothing to notify: a legacy
                // `initialized` is acknowledged, and a cancellation is a closed connection.
                try HeaderValidation.checkNotification(request.headers)
                return .whole(status: 202, headers: [:], body: [])
            case .result, .error:
                throw Refusal(.invalidRequest("this server asks nothing, so it takes no answers."))
            }
        } catch {
            return .message(.error(id: id, error: error.error), status: error.status)
        }
    }

    private func reply(
        to admission: Admission, id: RequestID, _ identity: Handler.Identity,
        _ accepted: MediaTypes.Accepted
    ) async -> HTTPReply {
        let toolRequest: Admission.ToolRequest
        switch router.route(admission) {
        case .answered(let result):
            return .message(.result(id: id, result: result), status: 200)
        case .tools(let request): toolRequest = request
        }
        guard accepted.events else {
            let outcome = await router.answer(
                toolRequest, admission: admission, identity: identity, transport: .http,
                sink: .discarding)
            return .outcome(outcome, id: id)
        }
        let call = StreamedCall(
            router: router, request: toolRequest, admission: admission, identity: identity, id: id)
        switch await call.first() {
        case .answer(let outcome) where accepted.json: return .outcome(outcome, id: id)
        case let first: return .events(call, first: first)
        }
    }
}
