import EpollServer
import MCPProtocol
import OrderedJSON

/// Compares the headers of an HTTP request with its body.
///
/// The body decides; headers are only compared, so that what stands between client and server
/// never acts on another request than the server.
///
/// Source: 2026-07-28 Streamable HTTP, "Server Validation"; 2025-11-25 transports, "Protocol
/// Version Header".
enum HeaderValidation {
    /// What the headers add to a request.
    static func origin(
        of request: JSONRPCRequest, headers: HTTPHeaders
    ) throws(Refusal) -> RequestOrigin {
        let key = try idempotencyKey(headers)
        let declared = try single(HeaderName.protocolVersion, headers)
        let meta = request.params?["_meta"]?.objectValue ?? [:]
        if isModern(request, meta, declared: declared, headers) {
            try compare(request, meta, declared: declared, headers)
            return RequestOrigin(transport: .http, legacy: nil, idempotencyKey: key)
        }
        let version = try legacyVersion(declared)
        return RequestOrigin(
            transport: .http, legacy: LegacyTerms(version: version), idempotencyKey: key)
    }

    /// Whether the version that a notification's header names, if any, is served.
    static func checkNotification(_ headers: HTTPHeaders) throws(Refusal) {
        guard let declared = try single(HeaderName.protocolVersion, headers) else { return }
        if let version = ProtocolVersion(rawValue: declared), version.isModern { return }
        _ = try legacyVersion(declared)
    }

    /// Whether a request is held to the rules of the modern era.
    private static func isModern(
        _ request: JSONRPCRequest, _ meta: JSONObject, declared: String?, _ headers: HTTPHeaders
    ) -> Bool {
        let modernKeys = [
            MetaKey.protocolVersion, MetaKey.clientCapabilities, MetaKey.clientInfo,
        ]
        if request.method == Method.discover || modernKeys.contains(where: { meta[$0] != nil }) {
            return true
        }
        guard let declared else { return headers[HeaderName.method] != nil }
        return ProtocolVersion(rawValue: declared)?.isModern ?? false
    }

    private static func compare(
        _ request: JSONRPCRequest, _ meta: JSONObject, declared: String?, _ headers: HTTPHeaders
    ) throws(Refusal) {
        // What is missing in the body is told first: without it there is nothing to compare.
        guard let version = meta[MetaKey.protocolVersion]?.stringValue else { return }
        try check(HeaderName.protocolVersion, declared, equals: version)
        // An unknown revision may have other headers: that it is unknown is what counts.
        guard ProtocolVersion(rawValue: version)?.isModern == true else { return }
        try check(HeaderName.method, try single(HeaderName.method, headers), equals: request.method)
        let source: String? =
            switch request.method {
            case Method.callTool, Method.getPrompt: "name"
            case Method.readResource: "uri"
            default: nil
            }
        guard let source else { return }
        let given = try single(HeaderName.name, headers)
        let decoded = given.flatMap(HeaderValue.decode)
        if given != nil, decoded == nil {
            throw Refusal(
                .headerMismatch("the value of '\(HeaderName.name)' is malformed."))
        }
        // A body that names nothing is refused for that, unless the header does name something.
        guard let named = request.params?[source]?.stringValue else {
            if given == nil { return }
            throw Refusal(
                .headerMismatch("'\(HeaderName.name)' is there, but the body has no '\(source)'."))
        }
        try check(HeaderName.name, decoded, equals: named)
    }

    private static func check(
        _ name: String, _ value: String?, equals expected: String
    ) throws(Refusal) {
        guard let value else {
            throw Refusal(.headerMismatch("the header '\(name)' is missing."))
        }
        guard value == expected else {
            throw Refusal(
                .headerMismatch(
                    "'\(name)' is '\(value.prefix(200))', but the body says "
                        + "'\(expected.prefix(200))'."))
        }
    }

    /// The revision of a legacy request; the oldest served one where no header names it.
    private static func legacyVersion(
        _ declared: String?
    ) throws(Refusal) -> ProtocolVersion {
        let served = ServerDescription.legacyVersions
        guard let declared else { return served.last ?? .latestLegacy }
        guard let version = ProtocolVersion(rawValue: declared) else {
            throw Refusal(
                .unsupportedProtocolVersion(
                    requested: declared, supported: ServerDescription.modernVersions))
        }
        guard served.contains(version) else {
            let names = served.map(\.rawValue).joined(separator: ", ")
            throw Refusal(
                .invalidRequest(
                    "'\(HeaderName.protocolVersion)' is '\(declared)'; 'initialize' agrees to one "
                        + "of \(names)."))
        }
        return version
    }

    private static func idempotencyKey(_ headers: HTTPHeaders) throws(Refusal) -> String? {
        let values = headers.values(for: HeaderName.idempotencyKey)
        guard let value = values.first else { return nil }
        guard values.count == 1, var key = HeaderValue.decode(value) else {
            throw Refusal(
                .invalidParams(
                    "the header '\(HeaderName.idempotencyKey)' must be there once, in ASCII or "
                        + "in its Base64 form."),
                status: 400)
        }
        // Some clients write it as a structured field, which is a string in quotes.
        if key.count >= 2, key.hasPrefix("\""), key.hasSuffix("\"") {
            key = String(key.dropFirst().dropLast())
        }
        return key
    }

    private static func single(
        _ name: String, _ headers: HTTPHeaders
    ) throws(Refusal) -> String? {
        let values = headers.values(for: name)
        guard values.count < 2 else {
            throw Refusal(.headerMismatch("the header '\(name)' is there more than once."))
        }
        return values.first
    }
}
