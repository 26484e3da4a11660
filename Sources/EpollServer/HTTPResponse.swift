/// The answer to one request: whole, or a stream that goes on.
public struct HTTPResponse: Sendable {
    /// The bytes that follow the header.
    enum Body: Sendable {
        case whole([UInt8])
        case stream(keepAlive: [UInt8], @Sendable (HTTPStreamWriter) async throws -> Void)
    }

    /// The status code, 200 to 599.
    public var status: Int

    /// The header fields; the server adds `Date`, the framing and `Connection` itself.
    public var headers: HTTPHeaders

    var body: Body

    /// An answer that is sent at once.
    ///
    /// The body is left out where HTTP has none: for `HEAD`, 204 and 304.
    public static func whole(
        _ status: Int, headers: HTTPHeaders = [:], body: [UInt8] = []
    ) -> Self {
        Self(status: status, headers: headers, body: .whole(body))
    }

    /// An answer whose body is written piece by piece, by `produce`.
    ///
    /// `produce` runs in the task of the handler, which is cancelled when the client goes away.
    /// The body ends when `produce` returns; if it throws, the connection is cut, so that the
    /// client sees that the body is not whole.
    ///
    /// - Parameters:
    ///   - status: The status code, 200 to 599 but not 204 or 304.
    ///   - headers: The header fields.
    ///   - keepAlive: Sent whenever nothing was written for ``HTTPLimits/streamKeepAlive``; empty
    ///     sends nothing.
    ///   - produce: Writes the body.
    /// - Returns: The response.
    public static func stream(
        _ status: Int, headers: HTTPHeaders = [:], keepAlive: [UInt8] = [],
        _ produce: @escaping @Sendable (HTTPStreamWriter) async throws -> Void
    ) -> Self {
        Self(status: status, headers: headers, body: .stream(keepAlive: keepAlive, produce))
    }

    /// A stream of server-sent events, with comments that keep idle connections open.
    ///
    /// Proxies are asked neither to cache nor to buffer it.
    public static func events(
        headers: HTTPHeaders = [:],
        _ produce: @escaping @Sendable (HTTPStreamWriter) async throws -> Void
    ) -> Self {
        var headers = headers
        headers["Content-Type"] = "text/event-stream"
        headers["Cache-Control"] = "no-cache"
        headers["X-Accel-Buffering"] = "no"
        return stream(200, headers: headers, keepAlive: Array(": keep-alive\n\n".utf8), produce)
    }
}
