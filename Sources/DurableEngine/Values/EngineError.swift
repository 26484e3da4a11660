/// Why the engine did not do what it was asked to.
public struct EngineError: Error, Hashable {
    /// What kind of failure it was, and so what the caller can do.
    public enum Code: String, Sendable {
        /// A script breaks its form. Mend it and submit again.
        case invalidScript
        /// No such run, approval or conversation, or the caller may not see it.
        case notFound
        /// The same request id came with other content.
        case requestIDReused
        /// An approval is not open any more.
        case alreadyResolved
        /// The one who decides is not allowed to.
        case notAllowed
        /// What was approved is not what would run.
        case digestMismatch
        /// The run is in no state for this.
        case wrongState
        /// No tool of this name.
        case unknownTool
        /// The tool cannot be used here and now.
        case toolUnavailable
        /// The store failed or refused; nothing was acknowledged.
        case storage
        /// The engine is stopping.
        case stopping
        /// A stored event makes no sense to this version of the program.
        case unreadableEvent
    }

    /// The kind of failure.
    public let code: Code

    /// What was tried, on what, and the remedy; never a payload or a secret.
    public let message: String

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}

extension EngineError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension EngineError {
    static func invalidScript(_ reason: String) -> Self {
        Self(code: .invalidScript, message: "The script cannot be run: \(reason)")
    }

    package static func unknownRun(_ id: RunID) -> Self {
        Self(
            code: .notFound,
            message: "There is no run '\(id)' that you can see. list_runs shows those you can.")
    }

    package static func unknownApproval(_ id: ApprovalID) -> Self {
        Self(
            code: .notFound,
            message: """
                There is no approval '\(id)' that you can see. list_pending_approvals shows \
                those that wait.
                """)
    }

    static func requestIDReused(_ requestID: String) -> Self {
        Self(
            code: .requestIDReused,
            message: """
                The request id '\(requestID)' was used before with other content. Use a new \
                id for a new request, or repeat the first one unchanged.
                """)
    }

    static func alreadyResolved(_ id: ApprovalID, _ how: String) -> Self {
        Self(
            code: .alreadyResolved,
            message: "The approval '\(id)' is \(how) already; each is decided once.")
    }

    package static func notAllowed(_ reason: String) -> Self {
        Self(code: .notAllowed, message: reason)
    }

    static func wrongState(_ reason: String) -> Self { Self(code: .wrongState, message: reason) }

    static func unknownTool(_ reason: String) -> Self { Self(code: .unknownTool, message: reason) }

    static func toolUnavailable(_ reason: String) -> Self {
        Self(code: .toolUnavailable, message: reason)
    }

    static func stopping() -> Self {
        Self(code: .stopping, message: "The process is stopping; send the request again.")
    }

    static func unreadableEvent(_ type: String, _ version: Int, _ reason: String) -> Self {
        Self(
            code: .unreadableEvent,
            message: """
                An event '\(type)' of version \(version) cannot be read (\(reason)). It may \
                come from a newer version of this program.
                """)
    }
}
