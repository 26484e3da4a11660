public import OrderedJSON

/// A JSON-RPC error, as it stands in a reply.
///
/// Source: 2026-07-28 basic, "Error Codes".
public struct RPCError: Error, Hashable, Sendable {
    /// What a code means.
    public enum Kind: Hashable, Sendable {
        /// The bytes are no JSON, no UTF-8, or nested too deep.
        case parseError
        /// The JSON is no JSON-RPC message.
        case invalidRequest
        /// No such method here.
        case methodNotFound
        /// The parameters, the metadata, the tool's name or the cursor cannot be accepted.
        case invalidParams
        /// The server failed; whether anything was done is not known.
        case internalError
        /// An HTTP header is missing, malformed, or says other than the body.
        case headerMismatch
        /// The request needs a capability that the client did not declare.
        case missingRequiredClientCapability
        /// The server does not speak the version that the request names.
        case unsupportedProtocolVersion
        /// A resource was not found, as servers up to 2025-11-25 say it; never sent by us.
        case legacyResourceNotFound
        /// A URL must be visited first, as servers of 2025-11-25 say it; never sent by us.
        case legacyURLElicitationRequired
        /// A code with no meaning here.
        case other(Int)
    }

    /// What the code means.
    public let kind: Kind
    /// One or two sentences for whoever reads the log of the client.
    public let message: String
    /// More to know about it, in the form that its kind prescribes.
    public let data: JSONValue?

    /// An error of this kind; the named factories are the usual way to make one.
    public init(kind: Kind, message: String, data: JSONValue? = nil) {
        self.kind = kind
        self.message = message
        self.data = data
    }

    /// The number that goes on the wire.
    public var code: Int { kind.code }
}

extension RPCError.Kind {
    /// The number that goes on the wire: the one place where codes are assigned.
    public var code: Int {
        switch self {
        case .parseError: -32700
        case .invalidRequest: -32600
        case .methodNotFound: -32601
        case .invalidParams: -32602
        case .internalError: -32603
        case .headerMismatch: -32020
        case .missingRequiredClientCapability: -32021
        case .unsupportedProtocolVersion: -32022
        case .legacyResourceNotFound: -32002
        case .legacyURLElicitationRequired: -32042
        case .other(let code): code
        }
    }

    /// The kinds that have a name.
    static let named: [Self] = [
        .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError,
        .headerMismatch, .missingRequiredClientCapability, .unsupportedProtocolVersion,
        .legacyResourceNotFound, .legacyURLElicitationRequired,
    ]

    /// The kind that bears this code.
    public init(code: Int) {
        self = Self.named.first { $0.code == code } ?? .other(code)
    }

    /// Whether only a server of the modern era sends it.
    ///
    /// A client that probes takes such an error as proof of a modern server, and any other as a
    /// legacy one. Source: 2026-07-28 versioning, "Backward Compatibility".
    public var isModernOnly: Bool {
        switch self {
        case .headerMismatch, .missingRequiredClientCapability, .unsupportedProtocolVersion: true
        default: false
        }
    }
}

extension RPCError {
    /// Bytes that are no message: `reason` says where and why.
    public static func parseError(_ reason: String) -> Self {
        Self(kind: .parseError, message: "Parse error: \(reason)")
    }

    /// JSON that is no JSON-RPC request or notification.
    public static func invalidRequest(_ reason: String) -> Self {
        Self(kind: .invalidRequest, message: "Invalid request: \(reason)")
    }

    /// A message of more bytes than are read.
    public static func messageTooLarge(limitBytes: Int) -> Self {
        Self(
            kind: .invalidRequest,
            message: "Invalid request: the message is larger than \(limitBytes) bytes.")
    }

    /// A method that this server does not have, in the era of the request.
    public static func methodNotFound(_ method: String) -> Self {
        Self(kind: .methodNotFound, message: "Method not found: \(shortened(method))")
    }

    /// Parameters that cannot be accepted: `reason` names the one and what it should be.
    public static func invalidParams(_ reason: String, data: JSONValue? = nil) -> Self {
        Self(kind: .invalidParams, message: "Invalid params: \(reason)", data: data)
    }

    /// A tool that is not in the list of this caller.
    public static func unknownTool(_ name: String) -> Self {
        Self(kind: .invalidParams, message: "Unknown tool: \(shortened(name))")
    }

    /// A cursor that this server did not hand out.
    public static func invalidCursor() -> Self {
        Self(
            kind: .invalidParams,
            message: "Invalid params: the cursor is not one of this server's. Start the list again."
        )
    }

    /// A failure in the server; `reason` bears no secret and no payload.
    public static func internalError(_ reason: String) -> Self {
        Self(kind: .internalError, message: "Internal error: \(reason)")
    }

    /// A header that is missing, malformed, or says other than the body.
    public static func headerMismatch(_ reason: String) -> Self {
        Self(kind: .headerMismatch, message: "Header mismatch: \(reason)")
    }

    /// Capabilities that the request needs and its client did not declare.
    public static func missingRequiredClientCapability(_ required: JSONObject) -> Self {
        Self(
            kind: .missingRequiredClientCapability,
            message: "Missing required client capability: "
                + required.keys.joined(separator: ", "),
            data: ["requiredCapabilities": .object(required)])
    }

    /// A version that is not spoken here.
    public static func unsupportedProtocolVersion(
        requested: String, supported: [ProtocolVersion]
    ) -> Self {
        Self(
            kind: .unsupportedProtocolVersion,
            message: "Unsupported protocol version: \(shortened(requested))",
            data: [
                "supported": .array(supported.map { .string($0.rawValue) }),
                "requested": .string(requested),
            ])
    }

    /// Text of a stranger, cut so that an error stays short.
    private static func shortened(_ text: String) -> String {
        text.count > 200 ? text.prefix(200) + "…" : text
    }
}

extension RPCError {
    /// Reads the `error` member of a reply.
    ///
    /// - Throws: ``MalformedMessage`` where it is no object with an integer code; a message that
    ///   is missing reads as empty, since old servers leave it out.
    public init(json: JSONValue) throws(MalformedMessage) {
        guard let object = json.objectValue, let code = object["code"]?.intValue else {
            throw .invalidRequest("'error' must be an object with an integer 'code'.")
        }
        self.init(
            kind: Kind(code: code), message: object["message"]?.stringValue ?? "",
            data: object["data"])
    }

    /// The `error` member of a reply.
    public var json: JSONValue {
        var object: JSONObject = ["code": .number(JSONNumber(code)), "message": .string(message)]
        object["data"] = data
        return .object(object)
    }
}

extension RPCError: CustomStringConvertible {
    /// The code and the message, without the data.
    public var description: String { "\(message) (\(code))" }
}
