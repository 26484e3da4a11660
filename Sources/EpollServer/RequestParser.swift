/// Turns the bytes of one connection into requests, as they arrive.
///
/// A value without clock or I/O: the connection feeds it and does what it says.
struct RequestParser {
    /// What is being waited for, for the deadlines.
    enum Phase: Equatable {
        /// The first byte of a request.
        case idle
        /// The rest of its header.
        case head
        /// Its body.
        case body
    }

    /// A request and how its connection goes on.
    struct Parsed {
        let request: HTTPRequest
        let isHTTP10: Bool
        let keepAlive: Bool
    }

    private enum State {
        case head
        case fixed(remaining: Int)
        case chunkSize
        case chunkData(remaining: Int)
        case chunkEnd
        case trailer(bytes: Int)
    }

    private let limits: HTTPLimits
    private let remoteAddress: String
    private var state = State.head
    private var head: RequestHead?
    private var body: [UInt8] = []

    /// The lines of the header that have arrived; like the two below, counted from the first
    /// unread byte.
    private var lines: [Range<Int>] = []
    private var lineStart = 0
    private var scanned = 0
    private var skippedLine = false

    /// Whether the client waits for `100 Continue` before it sends the body.
    private(set) var owesContinue = false

    init(limits: HTTPLimits, remoteAddress: String) {
        self.limits = limits
        self.remoteAddress = remoteAddress
    }

    /// What the parser waits for now.
    func phase(_ input: borrowing InputBuffer) -> Phase {
        if case .head = state { return input.isEmpty ? .idle : .head }
        return .body
    }

    /// Says that `100 Continue` was sent.
    mutating func didContinue() { owesContinue = false }

    /// Takes the next request out of `input`, or nil if it has not arrived whole.
    ///
    /// After a refusal nothing that follows can be trusted: the parser must not be used again.
    mutating func next(_ input: inout InputBuffer) throws(HTTPRefusal) -> Parsed? {
        while true {
            let done: Bool?
            switch state {
            case .head: done = try readHead(&input)
            case .fixed(let remaining):
                let moved = input.move(atMost: remaining, to: &body)
                state = .fixed(remaining: remaining - moved)
                done = moved == remaining ? true : nil
            case .chunkSize: done = try readChunkSize(&input)
            case .chunkData(let remaining):
                let moved = input.move(atMost: remaining, to: &body)
                state = moved == remaining ? .chunkEnd : .chunkData(remaining: remaining - moved)
                done = moved == remaining ? false : nil
            case .chunkEnd: done = try readChunkEnd(&input)
            case .trailer(let bytes): done = try readTrailer(&input, bytes: bytes)
            }
            guard let done else { return nil }
            if done, let parsed = finish() { return parsed }
        }
    }

    private mutating func finish() -> Parsed? {
        guard var head else { return nil }
        self.head = nil
        state = .head
        owesContinue = false
        head.request.body = body
        body = []
        return Parsed(request: head.request, isHTTP10: head.isHTTP10, keepAlive: head.keepAlive)
    }

    // Each reader gives nil if it needs more bytes, true if the request is whole, else false.

    private mutating func readHead(_ input: inout InputBuffer) throws(HTTPRefusal) -> Bool? {
        guard try startsWell(&input) else { return nil }
        while let line = try readLine(input) {
            if line.isEmpty {
                let head = try RequestHeadReader.read(
                    input.bytes, from: input.start, lines: lines, remoteAddress: remoteAddress,
                    limits: limits)
                take(&input)
                lines.removeAll(keepingCapacity: true)
                skippedLine = false
                self.head = head
                switch head.framing {
                case .none: return true
                case .length(let count): state = .fixed(remaining: count)
                case .chunked: state = .chunkSize
                }
                owesContinue = head.expectsContinue && input.isEmpty
                return false
            }
            lines.append(line)
            try checkHeadSize()
        }
        try checkHeadSize()
        return nil
    }

    /// Looks at the first byte, so that what is not HTTP at all is refused at once.
    private mutating func startsWell(_ input: inout InputBuffer) throws(HTTPRefusal) -> Bool {
        guard scanned == 0 else { return true }
        guard !input.isEmpty else { return false }
        if input.bytes[input.start] == OctetClass.carriageReturn, !skippedLine {
            // One empty line before a request is skipped (RFC 9112, section 2.2).
            guard input.count >= 2 else { return false }
            guard input.bytes[input.start + 1] == OctetClass.lineFeed else {
                throw .malformed("A carriage return must be followed by a line feed.")
            }
            input.consume(2)
            skippedLine = true
            guard !input.isEmpty else { return false }
        }
        guard OctetClass.isToken(input.bytes[input.start]) else {
            throw .malformed("A request starts with its method, which is a token.")
        }
        return true
    }

    private func checkHeadSize() throws(HTTPRefusal) {
        guard let requestLine = lines.first else {
            guard scanned <= limits.requestLineBytes else {
                throw .targetTooLong(limit: limits.requestLineBytes)
            }
            return
        }
        guard requestLine.count <= limits.requestLineBytes else {
            throw .targetTooLong(limit: limits.requestLineBytes)
        }
        guard scanned - requestLine.count - 2 <= limits.headerBytes else {
            throw .headerTooLarge(limit: limits.headerBytes)
        }
        guard lines.count - 1 <= limits.headerFields else {
            throw .tooManyFields(limit: limits.headerFields)
        }
    }

    private mutating func readChunkSize(_ input: inout InputBuffer) throws(HTTPRefusal) -> Bool? {
        guard let line = try readLine(input) else {
            guard scanned <= limits.chunkLineBytes else {
                throw .chunkLineTooLong(limit: limits.chunkLineBytes)
            }
            return nil
        }
        guard line.count <= limits.chunkLineBytes else {
            throw .chunkLineTooLong(limit: limits.chunkLineBytes)
        }
        let octets = input.bytes[(input.start + line.lowerBound)..<(input.start + line.upperBound)]
        var size = 0
        var rest = octets
        while let octet = rest.first, let digit = OctetClass.hexadecimal(octet) {
            // The body's limit is far below what overflows.
            size = size < 1 << 50 ? size * 16 + digit : size
            rest = rest.dropFirst()
        }
        guard rest.startIndex > octets.startIndex else {
            throw .malformed("A chunk starts with its size in hexadecimal digits.")
        }
        let afterBlanks = rest.drop { $0 == OctetClass.space || $0 == OctetClass.tab }
        guard afterBlanks.isEmpty ? rest.isEmpty : afterBlanks.first == UInt8(ascii: ";"),
            rest.allSatisfy(OctetClass.isFieldValue)
        else { throw .malformed("Only an extension may follow a chunk's size.") }
        guard size <= limits.bodyBytes - body.count else {
            throw .bodyTooLarge(limit: limits.bodyBytes)
        }
        take(&input)
        state = size == 0 ? .trailer(bytes: 0) : .chunkData(remaining: size)
        return false
    }

    private mutating func readChunkEnd(_ input: inout InputBuffer) throws(HTTPRefusal) -> Bool? {
        let wanted = [OctetClass.carriageReturn, OctetClass.lineFeed]
        let found = input.bytes[input.start...].prefix(2)
        guard found.elementsEqual(wanted.prefix(found.count)) else {
            throw .malformed("A chunk must end where its size says.")
        }
        guard found.count == 2 else { return nil }
        input.consume(2)
        state = .chunkSize
        return false
    }

    /// Checks the trailer's fields and drops them, as RFC 9112, section 7.1.2 allows.
    private mutating func readTrailer(
        _ input: inout InputBuffer, bytes: Int
    ) throws(HTTPRefusal) -> Bool? {
        let line = try readLine(input)
        guard bytes + scanned <= limits.chunkLineBytes else {
            throw .chunkLineTooLong(limit: limits.chunkLineBytes)
        }
        guard let line else { return nil }
        if !line.isEmpty {
            let start = input.start
            _ = try FieldLine(
                input.bytes, (start + line.lowerBound)..<(start + line.upperBound))
        }
        state = .trailer(bytes: bytes + scanned)
        take(&input)
        return line.isEmpty
    }

    /// The next line of `input` without its CRLF, counted from the first unread byte.
    private mutating func readLine(
        _ input: borrowing InputBuffer
    ) throws(HTTPRefusal) -> Range<Int>? {
        let start = input.start
        let count = input.count
        let octets = input.bytes.span
        while scanned < count {
            let index = scanned
            scanned += 1
            guard octets[start + index] == OctetClass.lineFeed else { continue }
            guard index > lineStart, octets[start + index - 1] == OctetClass.carriageReturn else {
                throw .malformed("A line must end in a carriage return and a line feed.")
            }
            defer { lineStart = scanned }
            return lineStart..<(index - 1)
        }
        return nil
    }

    /// Marks the lines read as used up.
    private mutating func take(_ input: inout InputBuffer) {
        input.consume(lineStart)
        lineStart = 0
        scanned = 0
    }
}
