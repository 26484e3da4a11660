/// The failure to read, find or check a secret.
public struct SecurityError: Error {
    /// What kind of failure it was, and so what the caller can do.
    public enum Code: Sendable {
        /// What was written down can never be right, whatever the surroundings.
        case malformed
        /// The value is not there now. It may be later: set it, and connect again.
        case missing
        /// It is there, but cannot be used: not readable, not UTF-8, or too large.
        case unusable
    }

    /// The kind of failure.
    public let code: Code

    /// What was tried, on what, and the remedy; never a secret.
    public let message: String

    /// The failure underneath, if another library reported one.
    public let cause: (any Error)?

    private init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension SecurityError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension SecurityError {
    static func unclosedReference() -> Self {
        Self(.malformed, "A reference that starts with '${' has no closing '}'.")
    }

    static func badReference(_ kind: String) -> Self {
        Self(
            .malformed,
            "'${\(kind)' is no reference known here. Write ${NAME} or ${env:NAME} for an "
                + "environment variable (with ':-value' for a default), or ${secret:NAME}.")
    }

    static func unsetVariable(_ name: String) -> Self {
        Self(
            .missing,
            "The environment variable '\(name)' is not set. Set it where this program starts, "
                + "or give a default: ${\(name):-value}.")
    }

    static func missingSecret(_ name: String, tried: [String]) -> Self {
        Self(
            .missing,
            "The secret '\(name)' was not found. "
                + (tried.isEmpty
                    ? "There is no secrets folder: one stands beside the config file."
                    : "Put its value into \(tried.joined(separator: " or "))."))
    }

    static func unusableSecret(_ name: String, path: String, reason: String, cause: (any Error)?)
        -> Self
    {
        Self(
            .unusable, "The secret '\(name)' in \(path) cannot be used: \(reason).", cause: cause)
    }

    static func badTokenHash() -> Self {
        Self(
            .malformed,
            "A token hash is 'sha256:' and 64 hexadecimal digits, as `durable-mcp token create` "
                + "prints it.")
    }
}
