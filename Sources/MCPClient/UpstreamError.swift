public import MCPProtocol

/// Why something asked of an upstream server did not succeed: which server, in which phase, and
/// whether asking again can help.
///
/// It says nothing about whether a tool acted: that is the case of ``UpstreamCallOutcome`` it
/// comes in.
public struct UpstreamError: Error, Sendable {
    /// What kind of failure it was, and so what the caller can do.
    public enum Code: Sendable {
        /// The server could not be started, or ended before it was ready. Check its config.
        case notStarted
        /// It crashed a moment ago and is started again only after ``retryAfter``.
        case resting
        /// It speaks no revision that we speak. Update one of the two.
        case incompatible
        /// No answer came in time.
        case timedOut
        /// The connection was lost, or the server ended.
        case disconnected
        /// The caller gave up.
        case cancelled
        /// The server answered with a JSON-RPC error, which ``rpcError`` holds.
        case refused
        /// The answer breaks the protocol.
        case malformed
        /// The answer has more bytes than are accepted.
        case tooLarge
        /// The answer is of a kind that is not supported here.
        case unsupported
        /// Too many requests are waiting for this server already.
        case overloaded
        /// The client was closed.
        case closed
    }

    /// When it happened.
    public enum Phase: String, Sendable {
        /// While its process was started, or `initialize` was answered.
        case start
        /// While it was asked which era it speaks.
        case probe
        /// While its tools were listed.
        case list
        /// While a tool was called.
        case call
    }

    /// The kind of failure.
    public let code: Code
    /// The name of the server in our configuration.
    public let upstream: String
    /// When it happened.
    public let phase: Phase
    /// What was tried and what came of it; free of secrets.
    public let message: String
    /// Whether the same request may succeed later, with nothing changed.
    public let isRetryable: Bool
    /// How long to wait before that, where it is known.
    public let retryAfter: Duration?
    /// The JSON-RPC error that the server answered with; its message may quote arguments.
    public let rpcError: RPCError?
    /// The last lines of the server's standard error, at most 8 KiB, free of known secrets.
    public let standardError: String

    init(
        _ code: Code, upstream: String, phase: Phase, message: String, isRetryable: Bool,
        retryAfter: Duration? = nil, rpcError: RPCError? = nil, standardError: String = ""
    ) {
        self.code = code
        self.upstream = upstream
        self.phase = phase
        self.message = message
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
        self.rpcError = rpcError
        self.standardError = standardError
    }
}

extension UpstreamError: CustomStringConvertible {
    /// One text for a person: the server, the phase, what happened, and what it complained of.
    public var description: String {
        let text = "Upstream '\(upstream)' (\(phase.rawValue)): \(message)"
        guard !standardError.isEmpty else { return text }
        return "\(text)\nIts standard error ends with:\n\(standardError)"
    }
}
