/// What the server lets clients take up; an error names the limit that was met.
///
/// A deadline is absolute for its phase: bytes that trickle in do not put it off.
public struct HTTPLimits: Sendable, Equatable {
    /// Bytes of method, target and version: 8 KiB, else status 414.
    public var requestLineBytes = 8 * 1024
    /// Bytes of all header fields together: 32 KiB, else status 431.
    public var headerBytes = 32 * 1024
    /// How many header fields: 100, else status 431.
    public var headerFields = 100
    /// Bytes of the body: 4 MiB, else status 413.
    public var bodyBytes = 4 * 1024 * 1024
    /// Bytes of one chunk's size line, or of all trailer fields: 4 KiB, else status 400.
    public var chunkLineBytes = 4 * 1024
    /// Connections at one time: 1024, else status 503.
    public var connections = 1024
    /// Streams at one time: 512, else status 503.
    public var streams = 512
    /// Bytes that may arrive while a request is being handled: 64 KiB.
    ///
    /// More waits, and ends a stream.
    public var pipelinedBytes = 64 * 1024
    /// Bytes that a stream may have written and the client not taken: 256 KiB, then it waits.
    public var streamBufferBytes = 256 * 1024
    /// From the first byte of a request (or the connection) to the end of its header: 10 s, else
    /// status 408.
    public var headDeadline: Duration = .seconds(10)
    /// From the end of the header to the end of the body: 30 s, else status 408.
    public var bodyDeadline: Duration = .seconds(30)
    /// For a byte that was written to be taken by the client: 30 s, else the connection is cut.
    public var writeStallDeadline: Duration = .seconds(30)
    /// Between two requests of one connection: 75 s, then it is closed.
    public var keepAliveIdle: Duration = .seconds(75)
    /// Silence after which a stream's keep-alive bytes are sent: 15 s.
    public var streamKeepAlive: Duration = .seconds(15)
    /// For a refused client to stop sending, so that it reads why: 5 s, then the connection is cut.
    public var lingerDeadline: Duration = .seconds(5)
    /// Bytes read and thrown away from a refused client: 16 MiB, then the connection is cut.
    public var lingerBytes = 16 * 1024 * 1024

    /// The defaults.
    public init() {}
}
