/// A value from the wire that is not what the protocol prescribes.
public struct MalformedMessage: Error, Hashable, Sendable {
    /// What a server answers to it: `invalidRequest` or `invalidParams`.
    public let code: RPCError.Kind
    /// Which member is wrong, and what it should be; never the value itself.
    public let message: String
    /// The id of the request that was wrong, where it could be read.
    public let id: RequestID?

    /// The error that a server replies with.
    public var rpcError: RPCError {
        code == .invalidParams ? .invalidParams(message) : .invalidRequest(message)
    }

    /// No JSON-RPC message.
    package static func invalidRequest(_ message: String, id: RequestID? = nil) -> Self {
        Self(code: .invalidRequest, message: message, id: id)
    }

    /// A message whose parameters or result are wrong.
    package static func invalidParams(_ message: String, id: RequestID? = nil) -> Self {
        Self(code: .invalidParams, message: message, id: id)
    }
}

extension MalformedMessage: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
