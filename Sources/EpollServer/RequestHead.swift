/// A request's header, understood and checked (RFC 9112, sections 2 to 6).
struct RequestHead: Sendable {
    /// How the body is delimited.
    enum Framing: Sendable, Equatable {
        case none
        case length(Int)
        case chunked
    }

    /// The request, with its body still empty.
    var request: HTTPRequest
    var framing = Framing.none
    var isHTTP10 = false
    /// Whether the client wants to use the connection again.
    var keepAlive = true
    /// Whether the client waits for leave to send the body.
    var expectsContinue = false
}

/// Reads the lines of a header that has arrived whole.
///
/// Wherever the RFC lets a recipient choose between repairing and refusing, it refuses: what two
/// readers could take differently is how requests are smuggled.
struct RequestHeadReader {
    private let bytes: [UInt8]
    private let limits: HTTPLimits
    private var head: RequestHead
    private var hosts = 0
    private var lengths = 0
    private var codings = 0
    private var contentLength = 0

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - bytes: Where the header lies.
    ///   - lines: The range of each line in `bytes` without its CRLF: the request line, then the
    ///     fields, and not the empty line.
    ///   - remoteAddress: The peer.
    ///   - limits: What is too much.
    /// - Returns: The header.
    /// - Throws: What to answer instead.
    static func read(
        _ bytes: [UInt8], lines: [Range<Int>], remoteAddress: String, limits: HTTPLimits
    ) throws(HTTPRefusal) -> RequestHead {
        var reader = Self(bytes: bytes, remoteAddress: remoteAddress, limits: limits)
        try reader.readRequestLine(lines[0])
        guard lines.count - 1 <= limits.headerFields else {
            throw .tooManyFields(limit: limits.headerFields)
        }
        reader.head.request.headers.reserveCapacity(lines.count - 1)
        for line in lines.dropFirst() { try reader.readField(line) }
        try reader.finish()
        return reader.head
    }

    private init(bytes: [UInt8], remoteAddress: String, limits: HTTPLimits) {
        self.bytes = bytes
        self.limits = limits
        head = RequestHead(
            request: HTTPRequest(
                method: "", target: "*", authority: "", remoteAddress: remoteAddress))
    }

    // MARK: The request line

    private mutating func readRequestLine(_ line: Range<Int>) throws(HTTPRefusal) {
        guard let first = bytes[line].firstIndex(of: OctetClass.space),
            let last = bytes[line].lastIndex(of: OctetClass.space), first < last
        else {
            throw .malformed("A request line has a method, a target and a version.")
        }
        guard first > line.lowerBound, bytes[line.lowerBound..<first].allSatisfy(OctetClass.isToken)
        else { throw .malformed("The method must be a token.") }
        let target = (first + 1)..<last
        guard !target.isEmpty, bytes[target].allSatisfy(OctetClass.isTarget) else {
            throw .malformed(
                "The request target must be visible ASCII without blanks and without a fragment.")
        }
        try readVersion((last + 1)..<line.upperBound)
        head.request.method = text(first, from: line.lowerBound)
        try readTarget(target)
    }

    private mutating func readVersion(_ range: Range<Int>) throws(HTTPRefusal) {
        let version = bytes[range]
        if version.elementsEqual("HTTP/1.1".utf8) { return }
        if version.elementsEqual("HTTP/1.0".utf8) {
            head.isHTTP10 = true
            head.keepAlive = false
            return
        }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard version.count == 8, version.starts(with: "HTTP/".utf8),
            digits.contains(version[range.lowerBound + 5]),
            version[range.lowerBound + 6] == UInt8(ascii: "."),
            digits.contains(version[range.lowerBound + 7])
        else { throw .malformed("The request line must end in an HTTP version.") }
        // Any other minor version of 1 is read as 1.1 (RFC 9110, section 2.5).
        guard version[range.lowerBound + 5] == UInt8(ascii: "1") else { throw .versionUnknown() }
    }

    private mutating func readTarget(_ range: Range<Int>) throws(HTTPRefusal) {
        if head.request.method == "CONNECT" { throw .tunnelRefused() }
        head.request.target = text(range.upperBound, from: range.lowerBound)
        var start = range.lowerBound
        if bytes[start] == UInt8(ascii: "*"), range.count == 1 {
            guard head.request.method == "OPTIONS" else {
                throw .malformed("The target '*' is for OPTIONS alone.")
            }
        } else if bytes[start] != UInt8(ascii: "/") {
            start = try readAuthority(range)
        }
        let end = range.upperBound
        if let mark = bytes[start..<end].firstIndex(of: UInt8(ascii: "?")) {
            head.request.path = text(mark, from: start)
            head.request.query = text(end, from: mark + 1)
        } else if start == range.lowerBound {
            head.request.path = head.request.target
        } else {
            head.request.path = text(end, from: start)
        }
        if head.request.path.isEmpty { head.request.path = "/" }
    }

    /// Reads scheme and authority of a target that is a whole URL; gives where its path starts.
    private mutating func readAuthority(_ range: Range<Int>) throws(HTTPRefusal) -> Int {
        var start: Int?
        for scheme in ["http://", "https://"] where range.count > scheme.utf8.count {
            let prefix = bytes[range].prefix(scheme.utf8.count).map(OctetClass.lowercased)
            if prefix.elementsEqual(scheme.utf8) { start = range.lowerBound + prefix.count }
        }
        guard let start else {
            throw .malformed("The request target must be a path or an http URL.")
        }
        let end =
            bytes[start..<range.upperBound].firstIndex {
                $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?")
            } ?? range.upperBound
        guard start < end else { throw .malformed("The request target names no host.") }
        try checkAuthority(start..<end)
        head.request.authority = text(end, from: start)
        return end
    }

    // MARK: The fields

    private mutating func readField(_ line: Range<Int>) throws(HTTPRefusal) {
        let field = try FieldLine(bytes, line)
        head.request.headers.append(
            text(field.name.upperBound, from: field.name.lowerBound),
            text(field.value.upperBound, from: field.value.lowerBound))
        try interpret(field.name, field.value)
    }

    /// Acts on the fields that say how the message and the connection go on.
    private mutating func interpret(_ name: Range<Int>, _ value: Range<Int>) throws(HTTPRefusal) {
        switch name.count {
        case 4 where matches(name, "host"):
            hosts += 1
            try checkAuthority(value)
        case 6 where matches(name, "expect"):
            guard matches(value, "100-continue") else { throw .expectationUnknown() }
            head.expectsContinue = true
        case 10 where matches(name, "connection"):
            readConnection(value)
        case 14 where matches(name, "content-length"):
            lengths += 1
            try readLength(value)
        case 17 where matches(name, "transfer-encoding"):
            codings += 1
            guard codings == 1 else { throw .malformed("Transfer-Encoding is given twice.") }
            guard !value.isEmpty else { throw .malformed("Transfer-Encoding is empty.") }
            guard matches(value, "chunked") else { throw .codingUnknown() }
        default: break
        }
    }

    private mutating func readConnection(_ value: Range<Int>) {
        for option in bytes[value].split(separator: UInt8(ascii: ",")) {
            let option = option.filter { $0 != OctetClass.space && $0 != OctetClass.tab }
                .map(OctetClass.lowercased)
            if option.elementsEqual("close".utf8) { head.keepAlive = false }
            if head.isHTTP10, option.elementsEqual("keep-alive".utf8) { head.keepAlive = true }
        }
    }

    private mutating func readLength(_ value: Range<Int>) throws(HTTPRefusal) {
        guard lengths == 1 else { throw .malformed("Content-Length is given twice.") }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard !value.isEmpty, bytes[value].allSatisfy(digits.contains) else {
            throw .malformed("Content-Length must be a number.")
        }
        for digit in bytes[value] {
            // Far above any limit and far below what overflows; more digits change nothing.
            guard contentLength < 1 << 50 else { break }
            contentLength = contentLength * 10 + Int(digit) - 0x30
        }
    }

    private mutating func finish() throws(HTTPRefusal) {
        guard hosts <= 1 else { throw .malformed("Host is given twice.") }
        guard hosts == 1 || head.isHTTP10 else { throw .malformed("HTTP/1.1 needs a Host.") }
        if head.request.authority.isEmpty {
            head.request.authority = head.request.headers["Host"] ?? ""
        } else {
            head.request.headers["Host"] = head.request.authority
        }
        guard codings == 0 || lengths == 0 else {
            throw .malformed("Content-Length and Transfer-Encoding exclude each other.")
        }
        if codings > 0 {
            guard !head.isHTTP10 else { throw .malformed("HTTP/1.0 has no Transfer-Encoding.") }
            head.framing = .chunked
        } else if contentLength > 0 {
            guard contentLength <= limits.bodyBytes else {
                throw .bodyTooLarge(limit: limits.bodyBytes)
            }
            head.framing = .length(contentLength)
        }
        if head.isHTTP10 || head.framing == .none { head.expectsContinue = false }
    }

    // MARK: Pieces

    private func checkAuthority(_ range: Range<Int>) throws(HTTPRefusal) {
        guard bytes[range].allSatisfy(OctetClass.isAuthority) else {
            throw .malformed("A host must be a name or an address, and a port if need be.")
        }
    }

    /// Whether a range holds `wanted`, which is in lower case, in any case.
    private func matches(_ range: Range<Int>, _ wanted: String) -> Bool {
        range.count == wanted.utf8.count
            && zip(bytes[range], wanted.utf8).allSatisfy { OctetClass.lowercased($0) == $1 }
    }

    private func text(_ end: Int, from start: Int) -> String {
        String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
