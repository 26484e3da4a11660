internal import DurableLog

/// Why a log could not be audited.
public struct AuditError: Error {
    /// What kind of failure it was, and so what the caller can do.
    public enum Code: Sendable {
        /// A tip or a cursor is none that this program gave.
        case malformed
        /// There is no such run, or the caller may not see it.
        case notFound
        /// The store could not be read.
        case storage
    }

    /// The kind of failure.
    public let code: Code

    /// What was tried, on what, and the remedy; never a payload or a secret.
    public let message: String

    /// The failure underneath, if another library reported one.
    public let cause: (any Error)?
}

extension AuditError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension AuditError {
    static func badTip() -> Self {
        Self(
            code: .malformed,
            message: """
                The tip is none that 'audit tip', 'audit verify' or an export gave: it begins \
                with 'v1:' and is passed on unchanged.
                """,
            cause: nil)
    }

    static func badCursor() -> Self {
        Self(
            code: .malformed, message: "'cursor' is none that a page of this export gave.",
            cause: nil)
    }

    static func unknownRun(_ id: String) -> Self {
        Self(
            code: .notFound,
            message: "There is no run '\(id)' that you can see. list_runs shows those you can.",
            cause: nil)
    }

    static func storage(_ error: StoreError) -> Self {
        Self(code: .storage, message: error.message, cause: error)
    }

    /// What any failure below comes down to.
    static func wrapping(_ error: any Error) -> Self {
        switch error {
        case let error as AuditError: error
        case let error as StoreError: storage(error)
        default: Self(code: .storage, message: "\(error)", cause: error)
        }
    }
}
