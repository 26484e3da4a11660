import Testing

/// One way to write a request that two readers could take differently, or that is no HTTP at all.
struct FramingRefusals: Sendable, CustomTestStringConvertible {
    let reason: String
    let text: String
    let status: Int
    var limit: String?

    var testDescription: String { reason }

    static let all: [Self] = requestLines + fields + bodies

    private static func refused(
        _ reason: String, _ text: String, _ status: Int = 400, limit: String? = nil
    ) -> Self {
        Self(reason: reason, text: text, status: status, limit: limit)
    }

    private static let requestLines = [
        refused("TLS on a plain port", "\u{16}\u{3}\u{1}\u{2}\0"),
        refused("a blank first", " GET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("a bare line feed first", "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("two empty lines first", "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("a carriage return alone first", "\rGET / HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("no version", "GET /\r\nHost: h\r\n\r\n"),
        refused("HTTP/0.9", "GET /\r\n\r\n"),
        refused("two blanks", "GET  / HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("a blank in the target", "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("a tab for a blank", "GET\t/\tHTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("a bracket in the method", "G{T / HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("a fragment", "GET /#x HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("NUL in the target", "GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("a letter beyond ASCII in the target", "GET /é HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("a target that is neither path nor URL", "GET mcp HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("another scheme", "GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("a URL without a host", "GET http:///x HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("a URL with a user", "GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("an asterisk for GET", "GET * HTTP/1.1\r\nHost: h\r\n\r\n"),
        refused("lower-case http", "GET / http/1.1\r\nHost: h\r\n\r\n"),
        refused("a version of three parts", "GET / HTTP/1.1.1\r\nHost: h\r\n\r\n"),
        refused("HTTP/2", "GET / HTTP/2.0\r\nHost: h\r\n\r\n", 505),
        refused("HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505),
        refused("a tunnel", "CONNECT h:443 HTTP/1.1\r\nHost: h\r\n\r\n", 501),
        refused(
            "an endless request line", "GET /" + String(repeating: "x", count: 9_000), 414,
            limit: "requestLineBytes"),
    ]

    private static func get(_ fields: String) -> String {
        "GET / HTTP/1.1\r\n\(fields)\r\n"
    }

    private static let fields = [
        refused("no Host", get("")),
        refused("two Hosts", get("Host: h\r\nHost: h\r\n")),
        refused("two different Hosts", get("Host: h\r\nhOST: g\r\n")),
        refused("a path in Host", get("Host: h/x\r\n")),
        refused("a user in Host", get("Host: u@h\r\n")),
        refused("a blank in Host", get("Host: h g\r\n")),
        refused("a bare line feed", "GET / HTTP/1.1\nHost: h\n\n"),
        refused("a bare line feed after a field", "GET / HTTP/1.1\r\nHost: h\nA: b\r\n\r\n"),
        refused("a blank before the colon", get("Host: h\r\nA : b\r\n")),
        refused("no colon", get("Host: h\r\nA\r\n")),
        refused("no name", get("Host: h\r\n: b\r\n")),
        refused("a folded line", get("Host: h\r\nA: b\r\n c\r\n")),
        refused("a folded line with a tab", get("Host: h\r\nA: b\r\n\tc\r\n")),
        refused("a blank line before the first field", "GET / HTTP/1.1\r\n Host: h\r\n\r\n"),
        refused("NUL in a value", get("Host: h\r\nA: b\0c\r\n")),
        refused("a carriage return in a value", get("Host: h\r\nA: b\rc\r\n")),
        refused("a control character in a value", get("Host: h\r\nA: b\u{1}c\r\n")),
        refused("DEL in a value", get("Host: h\r\nA: b\u{7F}\r\n")),
        refused("NUL in a name", get("Host: h\r\nA\0: b\r\n")),
        refused("a bracket in a name", get("Host: h\r\nA[1]: b\r\n")),
        refused("an unknown expectation", get("Host: h\r\nExpect: cake\r\n"), 417),
        refused(
            "an endless field",
            "GET / HTTP/1.1\r\nHost: h\r\nA: " + String(repeating: "x", count: 33_000),
            431, limit: "headerBytes"),
        refused(
            "endless fields",
            "GET / HTTP/1.1\r\nHost: h\r\n" + String(repeating: "A: b\r\n", count: 101),
            431, limit: "headerFields"),
    ]

    private static func post(_ fields: String, _ body: String = "") -> String {
        "POST / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\(body)"
    }

    private static let bodies =
        [
            refused("two lengths", post("Content-Length: 5\r\nContent-Length: 6\r\n")),
            refused("the same length twice", post("Content-Length: 5\r\nContent-Length: 5\r\n")),
            refused("a list of lengths", post("Content-Length: 5, 5\r\n")),
            refused("a negative length", post("Content-Length: -5\r\n")),
            refused("a signed length", post("Content-Length: +5\r\n")),
            refused("a hexadecimal length", post("Content-Length: 0x5\r\n")),
            refused("an empty length", post("Content-Length:\r\n")),
            refused("a blank inside a length", post("Content-Length: 1 2\r\n")),
            refused(
                "a length beyond counting", post("Content-Length: 99999999999999999999999\r\n"),
                413,
                limit: "bodyBytes"),
            refused(
                "a length too much", post("Content-Length: 4194305\r\n"), 413, limit: "bodyBytes"),
            refused(
                "length and chunking", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")),
            refused(
                "chunking and length", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")),
            refused(
                "chunking twice",
                post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")),
            refused("chunking twice in one", post("Transfer-Encoding: chunked, chunked\r\n"), 501),
            refused("compression", post("Transfer-Encoding: gzip, chunked\r\n"), 501),
            refused("identity", post("Transfer-Encoding: identity\r\n"), 501),
            refused("an unknown coding", post("Transfer-Encoding: xchunked\r\n"), 501),
            refused("an empty coding", post("Transfer-Encoding:\r\n")),
            refused(
                "chunking in HTTP/1.0",
                "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ]
        + [
            ("no size", "\r\n"), ("a word for a size", "x\r\n"), ("a signed size", "+5\r\n"),
            ("a prefixed size", "0x5\r\n"), ("a blank before the size", " 5\r\n"),
            ("a blank after the size", "5 \r\nhello"),
            ("a bare line feed after the size", "5\nhello"),
            ("a comma after the size", "5,5\r\n"), ("NUL in an extension", "5;\0\r\n"),
            ("a chunk longer than its size", "5\r\nhello!\r\n"),
            ("a chunk ended by a bare line feed", "5\r\nhello\n"),
            ("a trailer without a colon", "0\r\nx\r\n\r\n"),
            ("a folded trailer", "0\r\na: b\r\n c\r\n\r\n"),
        ].map { refused($0.0, post("Transfer-Encoding: chunked\r\n", $0.1)) } + [
            refused(
                "a size beyond counting",
                post("Transfer-Encoding: chunked\r\n", "fffffffffffffffffff\r\n"),
                413, limit: "bodyBytes")
        ]
}
