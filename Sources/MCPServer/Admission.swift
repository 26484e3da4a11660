import MCPProtocol
import OrderedJSON

/// What a transport knows about a request besides its body.
struct RequestOrigin: Sendable {
    /// The way it came.
    var transport: TransportKind
    /// What a legacy client agreed to: on stdio by `initialize`, over HTTP by its header.
    var legacy: LegacyTerms?
    /// The `Idempotency-Key` header, decoded.
    var idempotencyKey: String? = nil
}

/// What holds for the requests of a legacy client.
struct LegacyTerms: Hashable, Sendable {
    /// The revision agreed on.
    var version: ProtocolVersion
    /// The client's name and version, where they are known.
    var clientInfo: Implementation? = nil
    /// What the client can do, where that is known.
    var clientCapabilities = ClientCapabilities()
}

/// A request that was refused before any handler saw it.
struct Refusal: Error, Hashable, Sendable {
    /// What the client is told.
    let error: RPCError
    /// The HTTP status that goes with it.
    let status: Int

    /// A refusal; where no status is given, the kind of error says it.
    init(_ error: RPCError, status: Int? = nil) {
        self.error = error
        self.status = status ?? error.kind.modernStatus
    }
}

extension RPCError.Kind {
    /// The HTTP status of an error that stands in the way of a modern request.
    var modernStatus: Int {
        switch self {
        case .parseError, .invalidRequest, .headerMismatch, .missingRequiredClientCapability,
            .unsupportedProtocolVersion:
            400
        case .methodNotFound: 404
        default: 200
        }
    }
}

/// A request that may be answered: what is asked, and under which terms.
struct Admission: Hashable, Sendable {
    /// What is asked.
    enum Call: Hashable, Sendable {
        case discover
        case initialize(LegacyTerms)
        case ping
        case tools(ToolRequest)
    }

    /// What is asked of the handler.
    enum ToolRequest: Hashable, Sendable {
        case list(cursor: String?)
        case call(name: String, arguments: JSONObject)
    }

    let call: Call
    let version: ProtocolVersion
    let clientInfo: Implementation?
    let clientCapabilities: ClientCapabilities
    let meta: RequestMeta
    let callerRequestID: String?

    /// Decides whether a request is served, from nothing but itself and its origin.
    ///
    /// A request that bears modern metadata is modern. `server/discover` is too, whatever it
    /// bears, and `initialize` is legacy; what else comes without metadata is legacy if its
    /// client has agreed to a legacy revision, and malformed if not.
    init(_ request: JSONRPCRequest, from origin: RequestOrigin) throws(Refusal) {
        do throws(MalformedMessage) {
            meta = try RequestMeta(params: request.params)
        } catch {
            throw Refusal(error.rpcError, status: 400)
        }
        callerRequestID = try Self.callerRequestID(meta, header: origin.idempotencyKey)
        let params = request.params ?? [:]
        if meta.speaksForItself || request.method == Method.discover {
            version = try Self.modernVersion(meta)
            clientInfo = meta.clientInfo
            guard let capabilities = meta.clientCapabilities else {
                throw .missingMeta(MetaKey.clientCapabilities, "an object")
            }
            clientCapabilities = capabilities
            call = try Self.modernCall(request.method, params)
        } else if request.method == Method.initialize {
            let terms = try Self.negotiate(params)
            version = terms.version
            clientInfo = terms.clientInfo
            clientCapabilities = terms.clientCapabilities
            call = .initialize(terms)
        } else if let terms = origin.legacy ?? Self.beforeHandshake(request.method) {
            version = terms.version
            clientInfo = terms.clientInfo
            clientCapabilities = terms.clientCapabilities
            call = try Self.legacyCall(request.method, params)
        } else {
            throw .missingMeta(MetaKey.protocolVersion, "a string")
        }
    }
}

extension RequestMeta {
    /// Whether any of the three keys is there that only modern clients send.
    var speaksForItself: Bool {
        isModern || json[MetaKey.clientCapabilities] != nil || json[MetaKey.clientInfo] != nil
    }
}

extension Refusal {
    /// A modern request without a member of `_meta` that it must have.
    static func missingMeta(_ key: String, _ kind: String) -> Self {
        Self(
            .invalidParams(
                "'_meta' must have '\(key)', \(kind). A client of an older revision sends "
                    + "'initialize' first."),
            status: 400)
    }
}

// MARK: - The parts of the decision

extension Admission {
    private static func modernVersion(
        _ meta: RequestMeta
    ) throws(Refusal) -> ProtocolVersion {
        guard let requested = meta.protocolVersion else {
            throw .missingMeta(MetaKey.protocolVersion, "a string")
        }
        let supported = ServerDescription.modernVersions
        guard let version = ProtocolVersion(rawValue: requested), supported.contains(version)
        else {
            throw Refusal(
                .unsupportedProtocolVersion(requested: requested, supported: supported))
        }
        return version
    }

    private static func modernCall(
        _ method: String, _ params: JSONObject
    ) throws(Refusal) -> Call {
        switch method {
        case Method.discover: return .discover
        case Method.listTools, Method.callTool: return .tools(try toolRequest(method, params))
        default: throw Refusal(.methodNotFound(method))
        }
    }

    private static func legacyCall(
        _ method: String, _ params: JSONObject
    ) throws(Refusal) -> Call {
        switch method {
        case Method.ping: return .ping
        case Method.listTools, Method.callTool: return .tools(try toolRequest(method, params))
        // Legacy clients read a 404 as the end of their session.
        default: throw Refusal(.methodNotFound(method), status: 200)
        }
    }

    private static func toolRequest(
        _ method: String, _ params: JSONObject
    ) throws(Refusal) -> ToolRequest {
        if method == Method.listTools {
            switch params["cursor"] {
            case nil, .null: return .list(cursor: nil)
            case .string(let cursor): return .list(cursor: cursor)
            default: throw Refusal(.invalidParams("'cursor' must be a string."))
            }
        }
        guard let name = params["name"]?.stringValue else {
            throw Refusal(.invalidParams("'name' must be a string."))
        }
        switch params["arguments"] {
        case nil, .null: return .call(name: name, arguments: [:])
        case .object(let arguments): return .call(name: name, arguments: arguments)
        default: throw Refusal(.invalidParams("'arguments' must be an object."))
        }
    }

    /// The terms of a client that has not said `initialize` yet: it may only ask who is there.
    private static func beforeHandshake(_ method: String) -> LegacyTerms? {
        method == Method.ping ? LegacyTerms(version: .latestLegacy) : nil
    }

    /// Chooses the revision that the client asks for, or else the newest that is served.
    private static func negotiate(_ params: JSONObject) throws(Refusal) -> LegacyTerms {
        guard let requested = params["protocolVersion"]?.stringValue else {
            throw Refusal(.invalidParams("'protocolVersion' must be a string."))
        }
        let served = ServerDescription.legacyVersions
        let version = ProtocolVersion(rawValue: requested).flatMap {
            served.contains($0) ? $0 : nil
        }
        return LegacyTerms(
            version: version ?? served.first ?? .latestLegacy,
            // Malformed counts as absent: it is for display, and never worth refusing a client.
            clientInfo: params["clientInfo"].flatMap { try? Implementation(json: $0) },
            clientCapabilities: ClientCapabilities(
                json: params["capabilities"]?.objectValue ?? [:]))
    }

    private static func callerRequestID(
        _ meta: RequestMeta, header: String?
    ) throws(Refusal) -> String? {
        let given = meta.json[MetaKey.requestID]
        guard given == nil || given?.stringValue != nil else {
            throw Refusal(
                .invalidParams("'_meta[\"\(MetaKey.requestID)\"]' must be a string."), status: 400)
        }
        let body = given?.stringValue
        if let body, let header, body != header {
            throw Refusal(
                .invalidParams(
                    "the header '\(HeaderName.idempotencyKey)' and "
                        + "'_meta[\"\(MetaKey.requestID)\"]' differ; send one, or both alike."),
                status: 400)
        }
        let id = body ?? header
        guard let id else { return nil }
        guard (1...256).contains(id.utf8.count) else {
            throw Refusal(
                .invalidParams("a request id must have 1 to 256 bytes."), status: 400)
        }
        return id
    }
}
