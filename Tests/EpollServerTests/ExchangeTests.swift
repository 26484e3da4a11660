import EpollServer
import LinuxPlatform
import Testing

@Suite("HTTP exchanges", .timeLimit(.minutes(1)))
struct ExchangeTests {
    @Test("a request is answered, and the connection is used again")
    func keepAlive() async throws {
        try await withServer(handler: echo) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                for path in ["/one", "/two"] {
                    try client.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    let response = try client.readResponse()
                    #expect(response.status == 200)
                    #expect(response.body == path)
                    #expect(response.headers["content-type"] == "text/plain")
                    #expect(response.headers["Date"]?.hasSuffix(" GMT") == true)
                    #expect(response.headers["Connection"] == nil)
                }
            }
        }
    }

    @Test("20,000 requests in one write are answered in order", arguments: [1, 2])
    func pipelining(loops: Int) async throws {
        let count = 20_000
        try await withServer(loops: loops, handler: echo) { port, _ in
            let client = try TestClient(port: port)
            // Written and read at the same time, or both sides would wait for the other.
            let text = (0..<count).map { "GET /\($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined()
            let shared = SharedClient(client)
            async let sending: Void = onThread { try shared.client.send(text) }
            let wrong = try await onThread {
                try (0..<count).first { try shared.client.readResponse().body != "/\($0)" }
            }
            try await sending
            #expect(wrong == nil)
        }
    }

    @Test("a slow request holds the replies behind it back, and they stay in order")
    func order() async throws {
        let gate = Gate()
        let handler: HTTPServer.Handler = { request in
            if request.path == "/slow" { await gate.wait() }
            return await echo(request)
        }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                try client.send(
                    ["/slow", "/a", "/b"].map { "GET \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined())
                let other = try TestClient(port: port)
                try other.send("GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try other.readResponse().body == "/other")
                gate.open()
                #expect(
                    try (0..<3).map { _ in try client.readResponse().body } == [
                        "/slow", "/a", "/b",
                    ])
            }
        }
    }

    @Test("a body may come in pieces, and in chunks")
    func bodies() async throws {
        try await withServer(handler: echo) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                let body = String(repeating: "0123456789", count: 100_000)
                try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n")
                try client.send(body)
                #expect(try client.readResponse().body == body)
                try client.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
                for piece in ["5\r\nhel", "lo\r\n", "1", "\r\n!\r\n0\r", "\n\r\n"] {
                    try client.send(piece)
                }
                #expect(try client.readResponse().body == "hello!")
            }
        }
    }

    @Test("a client that asks for leave gets it, then sends the body")
    func expectation() async throws {
        try await withServer(handler: echo) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                try client.send(
                    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n"
                        + "Expect: 100-continue\r\n\r\n"
                )
                #expect(try client.readLine() == "HTTP/1.1 100 Continue")
                #expect(try client.readLine() == "")
                try client.send("hello")
                #expect(try client.readResponse().body == "hello")

                try client.send(
                    "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 9999999\r\n"
                        + "Expect: 100-continue\r\n\r\n")
                #expect(try client.readResponse().status == 413)
            }
        }
    }

    @Test("HEAD, 204 and 304 have no body, and what follows is still understood")
    func bodiless() async throws {
        let handler: HTTPServer.Handler = { request in
            .whole(Int(request.path.dropFirst()) ?? 200, body: Array("body".utf8))
        }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                try client.send("HEAD /200 HTTP/1.1\r\nHost: h\r\n\r\n")
                let head = try client.readHead()
                #expect(head.headers["Content-Length"] == "4")
                for status in [204, 304] {
                    try client.send("GET /\(status) HTTP/1.1\r\nHost: h\r\n\r\n")
                    let response = try client.readHead()
                    #expect(response.status == status)
                    #expect(response.headers["Content-Length"] == nil)
                }
                try client.send("GET /200 HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.readResponse().body == "body")
            }
        }
    }

    @Test("the connection ends when either side says so, and for HTTP/1.0 unless asked not to")
    func closing() async throws {
        try await withServer(handler: echo) { port, _ in
            try await onThread {
                for request in [
                    "GET / HTTP/1.1\r\nHost: h\r\nConnection: Foo, CLOSE\r\n\r\n",
                    "GET / HTTP/1.0\r\n\r\n",
                ] {
                    let client = try TestClient(port: port)
                    try client.send(request)
                    #expect(try client.readResponse().headers["Connection"] == "close")
                    #expect(try client.readToEnd() == "")
                }
                let client = try TestClient(port: port)
                for _ in 0..<2 {
                    try client.send("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n")
                    #expect(try client.readResponse().headers["Connection"] == "keep-alive")
                }
            }
        }
    }

    @Test("foreign text in a header value cannot add a line, and framing stays the server's")
    func injection() async throws {
        let handler: HTTPServer.Handler = { _ in
            .whole(
                200,
                headers: [
                    "X-Text": "a\r\nSet-Cookie: b\0c", "Content-Length": "1", "x:y": "z",
                    "Transfer-Encoding": "chunked", "Connection": "upgrade", "": "nameless",
                ], body: Array("body".utf8))
        }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                let response = try client.readResponse()
                #expect(response.body == "body")
                #expect(
                    response.headers.fields.map(\.name) == ["Date", "X-Text", "Content-Length"])
                #expect(response.headers["X-Text"] == "a  Set-Cookie: b c")
            }
        }
    }

    @Test("a handler sees who asks")
    func remoteAddress() async throws {
        let handler: HTTPServer.Handler = { .whole(200, body: Array($0.remoteAddress.utf8)) }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.readResponse().body.hasPrefix("127.0.0.1:"))
            }
        }
    }

    @Test("handlers and what they call run on the loop, and can leave it")
    func threads() async throws {
        actor Elsewhere { func thread() -> UInt { SystemThread.currentIdentity } }
        @Sendable @concurrent func anywhere() async -> UInt { SystemThread.currentIdentity }
        let elsewhere = Elsewhere()
        let handler: HTTPServer.Handler = { request in
            let before = SystemThread.currentIdentity
            let visited =
                switch request.path {
                case "/actor": await elsewhere.thread()
                case "/concurrent": await anywhere()
                default:
                    await withTaskExecutorPreference(globalConcurrentExecutor) { await anywhere() }
                }
            let text = "\(before == visited) \(SystemThread.currentIdentity == before)"
            return .whole(200, body: Array(text.utf8))
        }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                for (path, answer) in [
                    ("/actor", "true true"), ("/concurrent", "true true"), ("/leave", "false true"),
                ] {
                    try client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(try client.readResponse().body == answer, "\(path)")
                }
            }
        }
    }

    @Test("an address that is taken or not ours is named")
    func binding() throws {
        let first = HTTPServer(address: "127.0.0.1:0", handler: echo)
        let port = try first.bind()
        for address in ["127.0.0.1:\(port)", "192.0.2.1:80", "nonsense", "example.com:80"] {
            let error = #expect(throws: HTTPServerError.self) {
                try HTTPServer(address: address, handler: echo).bind()
            }
            #expect(error?.code == .cannotListen)
            #expect(error?.message.contains(address) == true)
        }
    }

    @Test("IPv6 is served")
    func version6() async throws {
        let server = HTTPServer(address: "[::1]:0", handler: echo)
        guard let port = try? server.bind() else { return }  // A machine without IPv6 has no ::1.
        async let running: Void = server.run()
        let address = try SocketAddress(parsing: "[::1]:\(port)")
        try await onThread {
            let client = try TestClient(address: address)
            try client.send("GET /six HTTP/1.1\r\nHost: [::1]:\(port)\r\n\r\n")
            #expect(try client.readResponse().body == "/six")
        }
        server.drain()
        try await running
    }
}
