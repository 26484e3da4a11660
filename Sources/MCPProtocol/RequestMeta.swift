public import OrderedJSON

/// The `_meta` of a request, with what the protocol says about it read out.
public struct RequestMeta: Hashable, Sendable {
    /// All members, also those that have no property here.
    public let json: JSONObject

    /// Reads it from the parameters of a request; absent reads as empty.
    ///
    /// - Throws: ``MalformedMessage`` where `_meta` is no object, or its progress token is no
    ///   string and no integer.
    public init(params: JSONObject?) throws(MalformedMessage) {
        switch params?["_meta"] {
        case nil: json = [:]
        case .object(let object): json = object
        default: throw .invalidParams("'_meta' must be an object.")
        }
        if let token = json[MetaKey.progressToken], ProgressToken(token) == nil {
            throw .invalidParams("'_meta.progressToken' must be a string or an integer.")
        }
    }

    /// The metadata of a modern request, for a client to send.
    public init(
        version: ProtocolVersion, clientInfo: Implementation, capabilities: ClientCapabilities,
        adding more: JSONObject = [:]
    ) {
        var json = more
        json[MetaKey.protocolVersion] = .string(version.rawValue)
        json[MetaKey.clientInfo] = .object(clientInfo.json)
        json[MetaKey.clientCapabilities] = .object(capabilities.json)
        self.json = json
    }

    /// Whether the request speaks for itself, as modern ones do.
    public var isModern: Bool { json[MetaKey.protocolVersion] != nil }

    /// The revision that the request is written in, as it names it.
    public var protocolVersion: String? { json[MetaKey.protocolVersion]?.stringValue }

    /// What the client declared; nil where it declared nothing.
    public var clientCapabilities: ClientCapabilities? {
        json[MetaKey.clientCapabilities]?.objectValue.map(ClientCapabilities.init(json:))
    }

    /// The client's name and version; nil where they are absent or malformed.
    public var clientInfo: Implementation? {
        // Malformed counts as absent: it is for display, and never worth refusing a call.
        json[MetaKey.clientInfo].flatMap { try? Implementation(json: $0) }
    }

    /// What ties progress notifications to the request, where they are wanted.
    public var progressToken: ProgressToken? {
        json[MetaKey.progressToken].flatMap(ProgressToken.init)
    }
}
