/// Why a request was not let in, and the answer that says so.
struct HTTPRefusal: Error, Equatable, Sendable {
    /// The status of the answer, 400 to 599.
    let status: Int

    /// The limit of ``HTTPLimits`` that was met, if one was.
    let limit: String?

    /// What is wrong with the request and what would be right.
    let message: String
}

extension HTTPRefusal {
    /// Bytes that are not the HTTP/1.1 of RFC 9112, or that two readers could take differently.
    static func malformed(_ message: String) -> Self {
        Self(status: 400, limit: nil, message: message)
    }

    static func targetTooLong(limit: Int) -> Self {
        Self(
            status: 414, limit: "requestLineBytes",
            message: "The request line is longer than \(limit) bytes.")
    }

    static func headerTooLarge(limit: Int) -> Self {
        Self(
            status: 431, limit: "headerBytes",
            message: "The header fields take more than \(limit) bytes.")
    }

    static func tooManyFields(limit: Int) -> Self {
        Self(
            status: 431, limit: "headerFields",
            message: "There are more than \(limit) header fields.")
    }

    static func bodyTooLarge(limit: Int) -> Self {
        Self(
            status: 413, limit: "bodyBytes",
            message: "The request body is larger than \(limit) bytes.")
    }

    static func chunkLineTooLong(limit: Int) -> Self {
        Self(
            status: 400, limit: "chunkLineBytes",
            message: "A chunk's size line or the trailer is longer than \(limit) bytes.")
    }

    static func headTooSlow(after deadline: Duration) -> Self {
        Self(
            status: 408, limit: "headDeadline",
            message: "The request's header did not arrive within \(deadline).")
    }

    static func bodyTooSlow(after deadline: Duration) -> Self {
        Self(
            status: 408, limit: "bodyDeadline",
            message: "The request's body did not arrive within \(deadline).")
    }

    static func expectationUnknown() -> Self {
        Self(
            status: 417, limit: nil,
            message: "The only expectation this server meets is '100-continue'.")
    }

    static func codingUnknown() -> Self {
        Self(
            status: 501, limit: nil,
            message: "The only transfer coding this server reads is 'chunked'.")
    }

    static func tunnelRefused() -> Self {
        Self(status: 501, limit: nil, message: "This server opens no tunnels (CONNECT).")
    }

    static func versionUnknown() -> Self {
        Self(status: 505, limit: nil, message: "This server speaks HTTP/1.1 and HTTP/1.0.")
    }

    static func tooManyConnections(limit: Int) -> Self {
        Self(
            status: 503, limit: "connections",
            message: "There are \(limit) connections already. Try again later.")
    }

    static func tooManyStreams(limit: Int) -> Self {
        Self(
            status: 503, limit: "streams",
            message: "There are \(limit) open streams already. Try again later.")
    }

    static func noDescriptors() -> Self {
        Self(
            status: 503, limit: nil,
            message: "The server has no file descriptors left. Try again later.")
    }

    /// The answer to send, as JSON.
    var response: HTTPResponse {
        // Messages are made of the constants above and numbers: nothing in them needs escaping.
        var text = "{\"error\":\"\(message)\",\"status\":\(status)"
        if let limit { text += ",\"limit\":\"\(limit)\"" }
        text += "}\n"
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        if status == 503 { headers.append("Retry-After", "1") }
        return .whole(status, headers: headers, body: Array(text.utf8))
    }
}
