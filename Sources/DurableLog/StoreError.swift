/// The failure of one store operation.
public struct StoreError: Error {
    /// What kind of failure it was, and so what the caller can do.
    public enum Code: Sendable {
        /// Another append came first. Reload the conversation and decide again.
        case conflict
        /// The lease has a newer epoch: the caller is no owner any more and must stop.
        case staleEpoch
        /// A row with this key exists.
        case duplicateKey
        /// The commit may or may not have happened. Read before answering.
        case outcomeUnknown
        /// The storage is missing, full, read-only or locked. Retrying later may succeed.
        case unavailable
        /// What is stored makes no sense. Nothing was changed.
        case corrupt
        /// The store was written by a newer version of this program.
        case newerVersion
        /// A named limit was exceeded. Nothing was changed.
        case tooLarge
    }

    /// The kind of failure.
    public let code: Code

    /// What was tried, on what, and the remedy; never a payload or a secret.
    public let message: String

    /// The failure underneath, if another library reported one.
    public let cause: (any Error)?

    /// For the factories, in this module and in the stores.
    package init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension StoreError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
