internal import MCPProtocol

extension UpstreamError {
    /// The server ended, or never ran, before it was ready.
    static func notStarted(_ session: ClientSession, _ end: TransportEnd, phase: Phase) -> Self {
        make(
            .notStarted, session, phase,
            end.neverStarted ? "\(end.reason)" : "It ended before it was ready: \(end.reason).",
            isRetryable: end.isRetryable)
    }

    /// It crashed again and again, and rests.
    static func resting(
        _ configuration: UpstreamConfiguration, crashes: Int, for rest: Duration, last: String,
        complaints: String
    ) -> Self {
        Self(
            .resting, upstream: configuration.name, phase: .start,
            message: """
                It ended \(crashes) times in a row, the last time because \(last), and is started \
                again in \(rest).
                """,
            isRetryable: true, retryAfter: rest, standardError: complaints)
    }

    /// It speaks none of our revisions.
    static func incompatible(_ session: ClientSession, versions: [String], phase: Phase) -> Self {
        let theirs = versions.prefix(10).map { "'\($0.prefix(40))'" }.joined(separator: ", ")
        let ours = ProtocolVersion.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return make(
            .incompatible, session, phase,
            """
            It speaks \(theirs.isEmpty ? "no revision" : theirs) of the protocol; we speak \
            \(ours).
            """,
            isRetryable: false)
    }

    /// It answered with a JSON-RPC error.
    static func refused(_ session: ClientSession, _ error: RPCError, phase: Phase) -> Self {
        let scrub = session.configuration.scrub
        let scrubbed = RPCError(kind: error.kind, message: scrub(error.message), data: error.data)
        return Self(
            .refused, upstream: session.configuration.name, phase: phase,
            message: "It answered with an error: \(scrubbed.description.prefix(2_000)).",
            isRetryable: false, rpcError: scrubbed, standardError: session.transport.complaints)
    }

    /// Its answer is not what the protocol prescribes.
    static func malformed(_ session: ClientSession, _ problem: String, phase: Phase) -> Self {
        make(
            .malformed, session, phase, "Its answer breaks the protocol: \(problem)",
            isRetryable: false)
    }

    /// No answer came.
    static func timedOut(
        _ session: ClientSession, waitingFor what: String, after: Duration, phase: Phase
    ) -> Self {
        make(
            .timedOut, session, phase, "It did not answer \(what) within \(after).",
            isRetryable: true)
    }

    /// The connection ended while a request waited.
    static func disconnected(
        _ session: ClientSession, _ end: TransportEnd, waitingFor what: String, phase: Phase
    ) -> Self {
        make(
            .disconnected, session, phase, "It was lost while \(what) waited: \(end.reason).",
            isRetryable: true)
    }

    /// The caller gave up.
    static func cancelled(_ configuration: UpstreamConfiguration, phase: Phase) -> Self {
        Self(
            .cancelled, upstream: configuration.name, phase: phase,
            message: "The caller gave up before an answer came.", isRetryable: true)
    }

    /// Too many requests wait already, or too many bytes.
    static func overloaded(_ session: ClientSession, phase: Phase) -> Self {
        make(
            .overloaded, session, phase,
            "Too much is waiting for its answers already. Call it less often at once.",
            isRetryable: true)
    }

    /// The answer is larger than allowed.
    static func tooLarge(
        _ session: ClientSession, _ what: String, limitBytes: Int, phase: Phase
    ) -> Self {
        make(
            .tooLarge, session, phase,
            """
            The answer to \(what) has more than \(limitBytes) bytes. Ask for less, or raise the \
            limit.
            """,
            isRetryable: false)
    }

    /// An answer of a kind that we cannot take.
    static func unsupported(_ session: ClientSession, _ what: String, phase: Phase) -> Self {
        make(.unsupported, session, phase, what, isRetryable: false)
    }

    /// The client is closed.
    static func closed(_ configuration: UpstreamConfiguration, phase: Phase) -> Self {
        Self(
            .closed, upstream: configuration.name, phase: phase,
            message: "The connection was closed by us.", isRetryable: false)
    }

    private static func make(
        _ code: Code, _ session: ClientSession, _ phase: Phase, _ message: String,
        isRetryable: Bool
    ) -> Self {
        Self(
            code, upstream: session.configuration.name, phase: phase,
            message: session.configuration.scrub(message), isRetryable: isRetryable,
            standardError: session.transport.complaints)
    }
}
