internal import LinuxPlatform

/// The failure of a server to start or to go on.
public struct HTTPServerError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it was, and so what the caller can do.
    public enum Code: Sendable, Equatable {
        /// The address cannot be listened on: another program has it, or it is not ours.
        case cannotListen
        /// The system gave no thread or descriptor.
        case exhausted
        /// The client of a stream has gone, or was cut off.
        case disconnected
    }

    /// The kind of failure.
    public let code: Code

    /// What was tried, and the remedy.
    public let message: String

    /// The failure underneath, if the system reported one.
    public let cause: (any Error)?

    /// The message.
    public var description: String { message }
}

extension HTTPServerError {
    static func cannotListen(on address: String, cause: any Error) -> Self {
        let isInUse = (cause as? LinuxError)?.code == .inUse
        let remedy = isInUse ? " Choose another port, or stop the program that has this one." : ""
        return Self(
            code: .cannotListen,
            message: "Cannot listen for HTTP on \(address). \(cause)\(remedy)", cause: cause)
    }

    static func exhausted(cause: any Error) -> Self {
        Self(code: .exhausted, message: "Cannot start the HTTP server. \(cause)", cause: cause)
    }

    static func disconnected() -> Self {
        Self(
            code: .disconnected,
            message: "The client of this stream has gone, or took nothing for too long.",
            cause: nil)
    }
}
