/// What carries messages to one server and back.
///
/// One transport is one connection: it is opened once, and after its end a new one is made.
package protocol ClientTransport: Sendable {
    /// Connects, and tells `events` what comes, in order, until ``ClientTransportEvents/ended``.
    ///
    /// It does not wait: a connection that cannot be had is an end like any other.
    func open(_ events: any ClientTransportEvents)

    /// Hands over one message.
    ///
    /// - Returns: False if it was not accepted, and so never leaves.
    func send(_ message: OutgoingMessage) -> Bool

    /// Takes a message back; true if no byte of it has left and none will.
    func withdraw(_ number: UInt64) -> Bool

    /// Ends the connection and waits until its server is gone.
    func close() async

    /// What the server last said beside the protocol; free of known secrets.
    var complaints: String { get }
}

/// One message on its way to a server.
package struct OutgoingMessage: Sendable {
    /// Its number, unlike any other of its connection; a request's number is also its id.
    package let number: UInt64
    /// The method that it names; nil for a response.
    package let method: String?
    /// The tool that it names, if any.
    package let name: String?
    /// The message as UTF-8 JSON on one line, without a newline.
    package let bytes: [UInt8]
}

/// What a transport tells its session; calls come one at a time.
package protocol ClientTransportEvents: Sendable {
    /// One message came: UTF-8 that should be JSON.
    func received(_ message: [UInt8])
    /// A message came with more bytes than are accepted; `head` is how it begins.
    func receivedTooMuch(head: [UInt8], limitBytes: Int)
    /// The connection is over: the last call, and there always is one.
    func ended(_ end: TransportEnd)
}

/// How a connection ended.
package struct TransportEnd: Sendable {
    /// Whether the server never ran at all.
    package var neverStarted = false
    /// Whether trying again with nothing changed could help.
    package var isRetryable = true
    /// What happened, as part of a sentence: "it exited with code 1".
    package let reason: String
    /// The numbers of messages of which no byte has left.
    package var unsent: Set<UInt64> = []
}
