import DurableTesting
import Testing

@testable import EpollServer

@Suite("Request parser")
struct RequestParserTests {
    /// What a parser made of some bytes.
    enum Outcome: Equatable {
        case requests([HTTPRequest], leftOver: Int)
        case refused(Int, limit: String?)
    }

    /// Feeds `pieces` one after the other.
    static func parse(_ pieces: [[UInt8]], limits: HTTPLimits = HTTPLimits()) -> Outcome {
        var parser = RequestParser(limits: limits, remoteAddress: "test")
        var input = InputBuffer()
        var requests: [HTTPRequest] = []
        do throws(HTTPRefusal) {
            for piece in pieces {
                input.append(piece, count: piece.count)
                while let parsed = try parser.next(&input) { requests.append(parsed.request) }
            }
        } catch {
            return .refused(error.status, limit: error.limit)
        }
        return .requests(requests, leftOver: input.count)
    }

    static func parse(_ text: String, limits: HTTPLimits = HTTPLimits()) -> Outcome {
        parse([Array(text.utf8)], limits: limits)
    }

    @Test("a request with a body is read")
    func body() {
        let text = """
            POST /mcp?a=b&c HTTP/1.1\r\nHost: example.com:80\r\nContent-Length: 5\r\n\
            X-Many: one\r\nx-many:\t two \t\r\nX-Empty:\r\n\r\nhello
            """
        guard case .requests(let requests, 0) = Self.parse(text), let request = requests.first
        else {
            Issue.record("Not one request.")
            return
        }
        #expect(request.method == "POST")
        #expect(request.target == "/mcp?a=b&c")
        #expect(request.path == "/mcp")
        #expect(request.query == "a=b&c")
        #expect(request.authority == "example.com:80")
        #expect(request.headers["CONTENT-length"] == "5")
        #expect(request.headers.values(for: "X-MANY") == ["one", "two"])
        #expect(request.headers["X-Empty"] == "")
        #expect(request.headers["X-None"] == nil)
        #expect(request.body == Array("hello".utf8))
        #expect(request.remoteAddress == "test")
    }

    static let chunked = """
        POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n\
        4;name="value"\r\nWiki\r\n00A \t; x\r\npedia in\r\n\r\n2\r\n\r\n\r\n0\r\nDigest: 1\r\n\r\n
        """

    @Test("a chunked body is read without its framing")
    func chunks() {
        guard case .requests(let requests, 0) = Self.parse(Self.chunked) else {
            Issue.record("Not read.")
            return
        }
        #expect(requests.map(\.body) == [Array("Wikipedia in\r\n\r\n".utf8)])
    }

    @Test("wherever the bytes are cut, the same requests are read")
    func cuts() {
        let text =
            Self.chunked + "\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n"
            + "PUT /3 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGET /4"
        let bytes = Array(text.utf8)
        let whole = Self.parse([bytes])
        guard case .requests(let requests, leftOver: 6) = whole else {
            Issue.record("Not read.")
            return
        }
        #expect(requests.map(\.path) == ["/", "/2", "/3"])
        for cut in 1..<bytes.count {
            #expect(Self.parse([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
        }
        #expect(Self.parse(bytes.map { [$0] }) == whole)
    }

    @Test(
        "targets of every form are understood",
        arguments: [
            ("GET / HTTP/1.1", "/", nil, "h"),
            ("GET /a%20b/?? HTTP/1.1", "/a%20b/", "?", "h"),
            ("GET /? HTTP/1.1", "/", "", "h"),
            ("OPTIONS * HTTP/1.1", "*", nil, "h"),
            ("GET http://other:81/x?y HTTP/1.1", "/x", "y", "other:81"),
            ("GET HTTPS://other HTTP/1.1", "/", nil, "other"),
            ("GET http://other?q HTTP/1.1", "/", "q", "other"),
            ("GET / HTTP/1.7", "/", nil, "h"),
        ] as [(String, String, String?, String)])
    func targets(line: String, path: String, query: String?, authority: String) {
        guard case .requests(let requests, 0) = Self.parse("\(line)\r\nHost: h\r\n\r\n"),
            let request = requests.first
        else {
            Issue.record("Not read.")
            return
        }
        #expect(request.path == path)
        #expect(request.query == query)
        #expect(request.authority == authority)
        #expect(request.headers.values(for: "host") == [authority])
    }

    @Test("what is not clearly HTTP/1.1 is refused", arguments: FramingRefusals.all)
    func refusals(refusal: FramingRefusals) {
        #expect(
            Self.parse(refusal.text) == .refused(refusal.status, limit: refusal.limit),
            "\(refusal.reason)")
        let single = Array(refusal.text.utf8).map { [$0] }
        #expect(Self.parse(single) == .refused(refusal.status, limit: refusal.limit))
    }

    @Test("each limit is met exactly where it says")
    func limits() {
        var limits = HTTPLimits()
        limits.requestLineBytes = 30
        limits.headerBytes = 60
        limits.headerFields = 3
        limits.bodyBytes = 10
        limits.chunkLineBytes = 12
        func get(_ path: Int, _ fields: String) -> String {
            "GET /\(String(repeating: "p", count: path)) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n"
        }
        func accepted(_ text: String) -> Bool {
            if case .requests(let requests, 0) = Self.parse(text, limits: limits) {
                return requests.count == 1
            }
            return false
        }
        #expect(accepted(get(16, "")))
        #expect(Self.parse(get(17, ""), limits: limits) == .refused(414, limit: "requestLineBytes"))
        // Host takes 9 of the 60 bytes; name, colon and line break take 5, the last line 2.
        #expect(accepted(get(1, "ab:\(String(repeating: "v", count: 44))\r\n")))
        #expect(
            Self.parse(
                get(1, "ab:\(String(repeating: "v", count: 47))\r\n"), limits: limits)
                == .refused(431, limit: "headerBytes"))
        #expect(accepted(get(1, "a:1\r\nb:2\r\n")))
        #expect(
            Self.parse(get(1, "a:1\r\nb:2\r\nc:3\r\n"), limits: limits)
                == .refused(431, limit: "headerFields"))
        let post = "POST / HTTP/1.1\r\nHost: h\r\n"
        #expect(accepted(post + "Content-Length: 10\r\n\r\n0123456789"))
        #expect(
            Self.parse(post + "Content-Length: 11\r\n\r\n", limits: limits)
                == .refused(413, limit: "bodyBytes"))
        let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
        #expect(accepted(chunked + "5\r\n01234\r\n5\r\n56789\r\n0\r\n\r\n"))
        #expect(
            Self.parse(chunked + "5\r\n01234\r\n6\r\n", limits: limits)
                == .refused(413, limit: "bodyBytes"))
        #expect(
            Self.parse(chunked + "1;aaaaaaaaaaaa", limits: limits)
                == .refused(400, limit: "chunkLineBytes"))
        #expect(
            Self.parse(chunked + "0\r\na:1\r\nb:2\r\nc:3\r\n", limits: limits)
                == .refused(400, limit: "chunkLineBytes"))
    }

    @Test("leave to go on is owed only while the body is still to come")
    func expectation() throws {
        let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n"
        for (text, owed) in [
            (head, true), (head + "a", false), (head + "ab", false),
            (head.replacing("1.1", with: "1.0"), false),
            (head.replacing("h: 2", with: "h: 0"), false),
        ] {
            var parser = RequestParser(limits: HTTPLimits(), remoteAddress: "")
            var input = InputBuffer()
            input.append(Array(text.utf8), count: text.utf8.count)
            _ = try parser.next(&input)
            #expect(parser.owesContinue == owed, "\(text)")
        }
    }

    @Test("random bytes never crash it, however they are cut")
    func fuzz() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let fragments = [
            "GET ", "POST / HTTP/1.1\r\n", "/", " HTTP/1.1", "\r\n", "\r", "\n", "Host: a\r\n",
            "Content-Length: ", "5", "18446744073709551616", "Transfer-Encoding: chunked\r\n",
            "\r\n\r\n",
            "ffffffffffffffff\r\n", "0\r\n", ";", " ", "\t", "\0", "http://", "é",
            "Expect: 100-continue",
        ].map { Array($0.utf8) }
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                if Int.random(in: 0..<8, using: &random) == 0 {
                    bytes.append(UInt8.random(in: 0...255, using: &random))
                } else if let fragment = fragments.randomElement(using: &random) {
                    bytes += fragment
                }
            }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            let whole = Self.parse([bytes])
            let halves = Self.parse([Array(bytes[..<cut]), Array(bytes[cut...])])
            #expect(whole == halves, "seed \(seed), bytes \(bytes), cut at \(cut)")
        }
    }
}
