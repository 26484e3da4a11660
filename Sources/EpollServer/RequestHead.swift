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
    private var targetNamesHost = false
    private var hosts = 0
    private var lengths = 0
    private var codings = 0
    private var contentLength = 0

    /// Reads a header.
    ///
    /// - Parameters:
    ///   - bytes: Where the header lies.
    ///   - start: Where in `bytes` it starts.
    ///   - lines: The range of each line without its CRLF, counted from `start`: the request line,
    ///     then the fields, and not the empty line.
    ///   - remoteAddress: The peer.
    ///   - limits: What is too much.
    /// - Returns: The header.
    /// - Throws: What to answer instead.
    static func read(
        _ bytes: [UInt8], from start: Int, lines: [Range<Int>], remoteAddress: String,
        limits: HTTPLimits
    ) throws(HTTPRefusal) -> RequestHead {
        var reader = Self(bytes: bytes, remoteAddress: remoteAddress, limits: limits)
        func place(_ line: Range<Int>) -> Range<Int> {
            (line.lowerBound + start)..<(line.upperBound + start)
        }
        try reader.readRequestLine(place(lines[0]))
        guard lines.count - 1 <= limits.headerFields else {
            throw .tooManyFields(limit: limits.headerFields)
        }
        reader.head.request.headers.reserveCapacity(lines.count - 1)
        for index in 1..<lines.count { try reader.readField(place(lines[index])) }
        try reader.finish()
        return reader.head
    }

    private init(bytes: [UInt8], remoteAddress: String, limits: HTTPLimits) {
        self.bytes = bytes
        self.limits = limits
        head = RequestHead(request: HTTPRequest(remoteAddress: remoteAddress))
    }

    // MARK: The request line

    private mutating func readRequestLine(_ line: Range<Int>) throws(HTTPRefusal) {
        guard let first = index(of: OctetClass.space, in: line),
            let last = lastIndex(of: OctetClass.space, in: line), first < last
        else {
            throw .malformed("A request line has a method, a target and a version.")
        }
        guard first > line.lowerBound,
            all(line.lowerBound..<first, OctetClass.isToken)
        else { throw .malformed("The method must be a token.") }
        let target = (first + 1)..<last
        guard !target.isEmpty, all(target, OctetClass.isTarget) else {
            throw .malformed(
                "The request target must be visible ASCII without blanks and without a fragment.")
        }
        try readVersion((last + 1)..<line.upperBound)
        head.request.method = text(first, from: line.lowerBound)
        try readTarget(target)
    }

    private mutating func readVersion(_ range: Range<Int>) throws(HTTPRefusal) {
        // `HTTP/`, a digit, a dot, a digit.
        guard range.count == 8,
            matches(range.lowerBound..<(range.lowerBound + 5), Self.httpSlash, anyCase: false),
            isDigit(range.lowerBound + 5), bytes[range.lowerBound + 6] == UInt8(ascii: "."),
            isDigit(range.lowerBound + 7)
        else { throw .malformed("The request line must end in an HTTP version.") }
        // Any other minor version of 1 is read as 1.1 (RFC 9110, section 2.5).
        guard bytes[range.lowerBound + 5] == UInt8(ascii: "1") else { throw .versionUnknown() }
        guard bytes[range.lowerBound + 7] == UInt8(ascii: "0") else { return }
        head.isHTTP10 = true
        head.keepAlive = false
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
        if let mark = index(of: UInt8(ascii: "?"), in: start..<end) {
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
        targetNamesHost = true
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
        case 4 where matches(name, Self.hostName):
            hosts += 1
            try checkAuthority(value)
            // A whole URL in the request line outranks the field (RFC 9112, section 3.2.2).
            if !targetNamesHost {
                head.request.authority = text(value.upperBound, from: value.lowerBound)
            }
        case 6 where matches(name, Self.expectName):
            guard matches(value, Self.continueValue) else { throw .expectationUnknown() }
            head.expectsContinue = true
        case 10 where matches(name, Self.connectionName):
            readConnection(value)
        case 14 where matches(name, Self.contentLengthName):
            lengths += 1
            try readLength(value)
        case 17 where matches(name, Self.transferEncodingName):
            codings += 1
            guard codings == 1 else { throw .malformed("Transfer-Encoding is given twice.") }
            guard !value.isEmpty else { throw .malformed("Transfer-Encoding is empty.") }
            guard matches(value, Self.chunkedValue) else { throw .codingUnknown() }
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
        if targetNamesHost { head.request.headers["Host"] = head.request.authority }
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
        guard all(range, OctetClass.isAuthority) else {
            throw .malformed("A host must be a name or an address, and a port if need be.")
        }
    }

    // What is compared with on every request, as bytes: text would have to be decoded each time.
    private static let httpSlash = Array("HTTP/".utf8)
    private static let hostName = Array("host".utf8)
    private static let expectName = Array("expect".utf8)
    private static let connectionName = Array("connection".utf8)
    private static let contentLengthName = Array("content-length".utf8)
    private static let transferEncodingName = Array("transfer-encoding".utf8)
    private static let continueValue = Array("100-continue".utf8)
    private static let chunkedValue = Array("chunked".utf8)

    /// Whether a range holds `wanted`; in any case if that is in lower case.
    private func matches(_ range: Range<Int>, _ wanted: [UInt8], anyCase: Bool = true) -> Bool {
        guard range.count == wanted.count else { return false }
        for offset in 0..<wanted.count {
            let octet = bytes[range.lowerBound + offset]
            guard (anyCase ? OctetClass.lowercased(octet) : octet) == wanted[offset] else {
                return false
            }
        }
        return true
    }

    private func all(_ range: Range<Int>, _ isIn: (UInt8) -> Bool) -> Bool {
        for index in range where !isIn(bytes[index]) { return false }
        return true
    }

    private func isDigit(_ index: Int) -> Bool {
        bytes[index] >= UInt8(ascii: "0") && bytes[index] <= UInt8(ascii: "9")
    }

    private func index(of octet: UInt8, in range: Range<Int>) -> Int? {
        for index in range where bytes[index] == octet { return index }
        return nil
    }

    private func lastIndex(of octet: UInt8, in range: Range<Int>) -> Int? {
        for index in range.reversed() where bytes[index] == octet { return index }
        return nil
    }

    private func text(_ end: Int, from start: Int) -> String {
        String(decoding: bytes[start..<end], as: UTF8.self)
    }
}
