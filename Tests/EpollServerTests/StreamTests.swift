import EpollServer
import Testing

@Suite("HTTP streams", .timeLimit(.minutes(1)))
struct StreamTests {
    @Test("pieces arrive as they are written, and the connection goes on afterwards")
    func pieces() async throws {
        let gate = Gate()
        let handler: HTTPServer.Handler = { request in
            guard request.path == "/stream" else { return await echo(request) }
            return .stream(200, headers: ["X-Kind": "stream"]) { writer in
                try await writer.write("first")
                try await writer.write("")
                await gate.wait()
                try await writer.write("second")
            }
        }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                try client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
                let head = try client.readHead()
                #expect(head.headers["Transfer-Encoding"] == "chunked")
                #expect(head.headers["X-Kind"] == "stream")
                #expect(try client.readChunk() == "first")
                gate.open()
                #expect(try client.readChunk() == "second")
                #expect(try client.readChunk() == nil)
                try client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.readResponse().body == "/next")
            }
        }
    }

    @Test("HTTP/1.0 gets the pieces plain, up to the end of the connection; HEAD gets none")
    func oldClients() async throws {
        let handler: HTTPServer.Handler = { _ in
            .stream(200) { writer in
                try await writer.write("a")
                try await writer.write("b")
            }
        }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                try client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let head = try client.readHead()
                #expect(head.headers["Transfer-Encoding"] == nil)
                #expect(head.headers["Connection"] == "close")
                #expect(try client.readToEnd() == "ab")
                let second = try TestClient(port: port)
                for _ in 0..<2 {
                    try second.send("HEAD / HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(try second.readHead().status == 200)
                }
            }
        }
    }

    @Test("a stream that fails is cut, so that it does not look whole")
    func failing() async throws {
        let handler: HTTPServer.Handler = { _ in
            .stream(200) { writer in
                try await writer.write("half")
                throw TestClientError(description: "The rest is missing.")
            }
        }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                let text = try client.readToEnd()
                #expect(!text.hasSuffix("0\r\n\r\n"))
            }
        }
    }

    @Test("a writer waits while its client takes nothing, and everything arrives in the end")
    func backpressure() async throws {
        var limits = HTTPLimits()
        limits.streamBufferBytes = 64 * 1024
        let written = Counter()
        let pieces = 600
        let handler: HTTPServer.Handler = { request in
            guard request.path == "/stream" else { return await echo(request) }
            return .stream(200) { writer in
                for _ in 0..<pieces {
                    try await writer.write([UInt8](repeating: 0x78, count: 64 * 1024))
                    written.increment()
                }
            }
        }
        try await withServer(limits: limits, handler: handler) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                try client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
                let other = try TestClient(port: port)
                for _ in 0..<200 {
                    try other.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                    #expect(try other.readResponse().status == 200)
                }
                // The kernel holds some megabytes for the socket; the server only little more.
                #expect(written.value < pieces / 2)
                #expect(try client.readHead().status == 200)
                var received = 0
                while let chunk = try client.readChunk() { received += chunk.utf8.count }
                #expect(received == pieces * 64 * 1024)
            }
        }
    }

    @Test("one stream too many is told so")
    func tooMany() async throws {
        var limits = HTTPLimits()
        limits.streams = 1
        let gate = Gate()
        let handler: HTTPServer.Handler = { _ in
            .stream(200) { writer in
                try await writer.write("open")
                await gate.wait()
            }
        }
        try await withServer(limits: limits, handler: handler) { port, _ in
            try await onThread {
                let first = try TestClient(port: port)
                try first.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try first.readHead()
                #expect(try first.readChunk() == "open")
                let second = try TestClient(port: port)
                try second.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                let refusal = try second.readResponse()
                #expect(refusal.status == 503)
                #expect(refusal.body.contains("\"limit\":\"streams\""))
                gate.open()
                #expect(try first.readChunk() == nil)
                try second.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try second.readResponse().body == "open")
            }
        }
    }

    @Test("a writer used after its stream, or after the server, is told that the client has gone")
    func lateWriter() async throws {
        let kept = Kept()
        let handler: HTTPServer.Handler = { _ in .stream(200) { kept.writer = $0 } }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                let client = try TestClient(port: port)
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.readResponse().status == 200)
            }
            let error = await #expect(throws: HTTPServerError.self) {
                try await kept.writer?.write("late")
            }
            #expect(error?.code == .disconnected)
        }
        for _ in 0..<10 {
            await #expect(throws: HTTPServerError.self) { try await kept.writer?.write("later") }
        }
    }
}
