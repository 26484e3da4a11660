/// One request, received whole.
public struct HTTPRequest: Sendable, Equatable {
    /// The method as it was sent, in the case it was sent: `POST`.
    public var method: String

    /// The request target as it was sent: `/mcp?x=1`, or a whole URL from a client that takes us
    /// for a proxy.
    public var target: String

    /// The path of the target, percent-encoding untouched; `*` for a whole-server `OPTIONS`.
    public var path: String

    /// What follows the first `?` of the target, untouched; nil without one.
    public var query: String?

    /// Host and port that the client wanted to reach, from the target if that is a whole URL, else
    /// from `Host`; empty if an HTTP/1.0 client named none.
    public var authority: String

    /// The header fields; never more than one `Host`, and it equals ``authority``.
    public var headers: HTTPHeaders

    /// The body without its framing, at most ``HTTPLimits/bodyBytes``; empty if there was none.
    public var body: [UInt8]

    /// Address and port of the peer: `127.0.0.1:40312`.
    public var remoteAddress: String

    /// Makes a request, as a test of a handler would.
    public init(
        method: String, target: String, authority: String = "localhost",
        headers: HTTPHeaders = [:], body: [UInt8] = [], remoteAddress: String = "127.0.0.1:1"
    ) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.method = method
        self.target = target
        path = String(parts[0])
        query = parts.count > 1 ? String(parts[1]) : nil
        self.authority = authority
        self.headers = headers
        self.body = body
        self.remoteAddress = remoteAddress
    }

    /// Makes the request that a reader fills in.
    init(remoteAddress: String) {
        method = ""
        target = ""
        path = ""
        authority = ""
        headers = HTTPHeaders()
        body = []
        self.remoteAddress = remoteAddress
    }
}
