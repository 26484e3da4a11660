/// What an authenticator found out about an HTTP request.
public enum Authentication<Identity: Sendable>: Sendable {
    /// It is this caller.
    case allowed(Identity)
    /// Nobody knows who it is: status 401, with this `WWW-Authenticate` challenge.
    case unauthorized(challenge: String, reason: String)
    /// It is known who it is, and it may not come in: status 403.
    case forbidden(reason: String)
}
