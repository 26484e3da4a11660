/// Writes responses as HTTP/1.1.
struct ResponseEncoder {
    /// How the client of a response reads it.
    struct Context {
        var isHead = false
        var isHTTP10 = false
        var keepAlive = true
    }

    /// The whole `Date` field, which changes once a second.
    private var dateField: [UInt8] = []
    private var dateSeconds: Int64 = -1

    /// Sets the time that responses bear.
    mutating func setDate(secondsSince1970 seconds: Int64) {
        guard seconds != dateSeconds else { return }
        dateSeconds = seconds
        dateField = Array("Date: \(HTTPDate.text(secondsSince1970: seconds))\r\n".utf8)
    }

    /// Appends a response with its whole body.
    func encode(
        _ response: HTTPResponse, body: [UInt8], for context: Context, to output: inout [UInt8]
    ) {
        output.reserveCapacity(output.count + 256 + body.count)
        startHead(response, to: &output)
        let hasBody = response.status != 204 && response.status != 304
        if hasBody {
            output.append(contentsOf: Self.contentLength)
            Self.append(body.count, radix: 10, to: &output)
            output.append(contentsOf: Self.lineBreak)
        }
        endHead(for: context, to: &output)
        if hasBody, !context.isHead { output.append(contentsOf: body) }
    }

    /// Appends the header of a response whose body is a stream.
    func encodeStreamHead(
        _ response: HTTPResponse, for context: Context, to output: inout [UInt8]
    ) {
        startHead(response, to: &output)
        // HTTP/1.0 knows no chunks: there the end of the connection ends the body.
        if !context.isHTTP10 { output.append(contentsOf: Self.chunked) }
        endHead(for: context, to: &output)
    }

    /// Appends one piece of a streamed body.
    static func encodePiece(_ piece: [UInt8], for context: Context, to output: inout [UInt8]) {
        // An empty chunk would end the body.
        guard !piece.isEmpty, !context.isHead else { return }
        if context.isHTTP10 {
            output.append(contentsOf: piece)
            return
        }
        append(piece.count, radix: 16, to: &output)
        output.append(contentsOf: Self.lineBreak)
        output.append(contentsOf: piece)
        output.append(contentsOf: Self.lineBreak)
    }

    /// Appends the end of a streamed body.
    static func encodeEnd(for context: Context, to output: inout [UInt8]) {
        if !context.isHTTP10, !context.isHead { output.append(contentsOf: Self.lastChunk) }
    }

    private func startHead(_ response: HTTPResponse, to output: inout [UInt8]) {
        if response.status == 200 {
            output.append(contentsOf: Self.okLine)
        } else {
            output.append(contentsOf: Self.version)
            Self.append(response.status, radix: 10, to: &output)
            output.append(OctetClass.space)
            output.append(contentsOf: Self.reason(response.status).utf8)
            output.append(contentsOf: Self.lineBreak)
        }
        output.append(contentsOf: dateField)
        for field in response.headers.fields where !Self.isOurs(field.name) {
            output.append(contentsOf: field.name.utf8)
            output.append(contentsOf: Self.colon)
            // A value made of foreign text must not be able to add a line.
            for octet in field.value.utf8 {
                output.append(OctetClass.isFieldValue(octet) ? octet : OctetClass.space)
            }
            output.append(contentsOf: Self.lineBreak)
        }
    }

    private func endHead(for context: Context, to output: inout [UInt8]) {
        if !context.keepAlive {
            output.append(contentsOf: Self.close)
        } else if context.isHTTP10 {
            output.append(contentsOf: Self.keepAlive)
        }
        output.append(contentsOf: Self.lineBreak)
    }

    /// Whether a field is the server's to set, or has a name that HTTP cannot carry.
    private static func isOurs(_ name: String) -> Bool {
        switch name.utf8.count {
        case 0: true
        case 4 where HTTPHeaders.match(name, "Date"): true
        case 10 where HTTPHeaders.match(name, "Connection"): true
        case 14 where HTTPHeaders.match(name, "Content-Length"): true
        case 17 where HTTPHeaders.match(name, "Transfer-Encoding"): true
        default: !name.utf8.allSatisfy(OctetClass.isToken)
        }
    }

    private static func append(_ number: Int, radix: Int, to output: inout [UInt8]) {
        let start = output.count
        var rest = max(0, number)
        repeat {
            output.append(digits[rest % radix])
            rest /= radix
        } while rest > 0
        output[start...].reverse()
    }

    // Fixed pieces as bytes, which append faster than text.
    private static let digits = Array("0123456789abcdef".utf8)
    private static let version = Array("HTTP/1.1 ".utf8)
    private static let lineBreak = Array("\r\n".utf8)
    private static let colon = Array(": ".utf8)
    private static let contentLength = Array("Content-Length: ".utf8)
    private static let chunked = Array("Transfer-Encoding: chunked\r\n".utf8)
    private static let lastChunk = Array("0\r\n\r\n".utf8)
    private static let close = Array("Connection: close\r\n".utf8)
    private static let keepAlive = Array("Connection: keep-alive\r\n".utf8)
    private static let okLine = Array("HTTP/1.1 200 OK\r\n".utf8)

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 202: "Accepted"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
