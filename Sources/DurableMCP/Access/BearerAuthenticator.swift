internal import DurableLog
public import DurableSecurity
public import EpollServer
public import MCPServer

/// Finds out who sends an HTTP request, by the token in its `Authorization`.
public struct BearerAuthenticator: Sendable {
    private let configured: [TokenAccess]
    private let stored: TokenStore
    private let log: @Sendable (String) -> Void

    /// An authenticator of the tokens in the configuration and of those in the store.
    public init(
        configured: [TokenAccess], stored: TokenStore,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.configured = configured
        self.stored = stored
        self.log = log
    }

    /// Who sends a request with these header fields.
    ///
    /// Source: RFC 6750, sections 2.1 and 3.
    public func authenticate(_ headers: HTTPHeaders) async -> Authentication<Principal> {
        let values = headers.values(for: "Authorization")
        guard let value = values.first else {
            return Self.refused(
                "A token is missing: send 'Authorization: Bearer TOKEN'. "
                    + "'durable-mcp token create' makes one.", error: nil)
        }
        let parts = value.split(separator: " ", omittingEmptySubsequences: true)
        guard values.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
            return Self.refused(
                "The 'Authorization' header must be 'Bearer TOKEN'.", error: "invalid_request")
        }
        let token = String(parts[1])
        if let principal = configured.principal(for: token) { return .allowed(principal) }
        do throws(StoreError) {
            if let principal = try await stored.principal(for: token) {
                return .allowed(principal)
            }
        } catch {
            log("A token could not be looked up: \(error.message)")
            return Self.refused("The token cannot be checked just now.", error: nil)
        }
        return Self.refused(
            "The token is not known, or was revoked. 'durable-mcp token create' makes one.",
            error: "invalid_token")
    }

    private static func refused(_ reason: String, error: String?) -> Authentication<Principal> {
        let challenge = "Bearer realm=\"durable-mcp\"" + (error.map { ", error=\"\($0)\"" } ?? "")
        return .unauthorized(challenge: challenge, reason: reason)
    }
}
