import EpollServer
import Testing

/// A server on a clock that the test sets, and a second client to wait for the loop with.
///
/// The loop answers the second client only after it has read what came before on any connection.
private struct Stage: @unchecked Sendable {
    // Unchecked: used by one thread of the test at a time.
    let clock: ManualHTTPClock
    let port: Int
    let watcher: TestClient

    init(port: Int, clock: ManualHTTPClock) throws {
        self.clock = clock
        self.port = port
        watcher = try TestClient(port: port)
        try settle()
    }

    /// Waits until the loop has dealt with all that was sent and all time that has passed.
    func settle() throws {
        for _ in 0..<2 {
            try watcher.send("GET /settle HTTP/1.1\r\nHost: h\r\n\r\n")
            guard try watcher.readResponse().body == "/settle" else {
                throw TestClientError(description: "The loop does not settle.")
            }
        }
    }

    func pass(seconds: Int64) throws {
        try settle()
        clock.advance(seconds: seconds)
        try settle()
    }
}

@Suite("HTTP deadlines", .timeLimit(.minutes(1)))
struct DeadlineTests {
    private func withStage(
        limits: HTTPLimits = HTTPLimits(), handler: @escaping HTTPServer.Handler = echo,
        _ body: @escaping @Sendable (Stage) throws -> Void
    ) async throws {
        let clock = ManualHTTPClock()
        try await withServer(limits: limits, clock: clock, handler: handler) { port, _ in
            try await onThread { try body(Stage(port: port, clock: clock)) }
        }
    }

    @Test("a client that drips its header is cut off at the deadline, however it drips")
    func drippedHead() async throws {
        try await withStage { stage in
            let client = try TestClient(port: stage.port)
            try stage.settle()
            for octet in Array("GET / HTT".utf8) {
                try client.send([octet])
                try stage.pass(seconds: 1)
            }
            try client.send("P")
            try stage.pass(seconds: 1)
            let response = try client.readResponse()
            #expect(response.status == 408)
            #expect(response.body.contains("\"limit\":\"headDeadline\""))
            #expect(response.body.contains("10.0 seconds"))
            // It lingers to read the answer, but not for ever.
            try stage.pass(seconds: 5)
            #expect(throws: TestClientError.self) {
                while true {
                    try client.send("x")
                    try stage.settle()
                }
            }
        }
    }

    @Test("a connection that says nothing is closed at the deadline without a word")
    func silence() async throws {
        try await withStage { stage in
            let client = try TestClient(port: stage.port)
            try stage.pass(seconds: 9)
            let second = try TestClient(port: stage.port)
            try stage.pass(seconds: 1)
            #expect(try client.readToEnd() == "")
            try second.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try second.readResponse().status == 200)
        }
    }

    @Test("a later request's header has its own deadline, from its first byte")
    func laterHead() async throws {
        try await withStage { stage in
            let client = try TestClient(port: stage.port)
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.readResponse().status == 200)
            try stage.pass(seconds: 60)
            try client.send("GET / ")
            try stage.pass(seconds: 9)
            try client.send("HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.readResponse().status == 200)
            for octet in Array("GET / HTTP".utf8) {
                try client.send([octet])
                try stage.pass(seconds: 1)
            }
            #expect(try client.readResponse().status == 408)
        }
    }

    @Test("a dripped body is cut off at the deadline")
    func drippedBody() async throws {
        try await withStage { stage in
            let client = try TestClient(port: stage.port)
            try client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
            for _ in 0..<6 {
                try client.send("x")
                try stage.pass(seconds: 5)
            }
            let response = try client.readResponse()
            #expect(response.status == 408)
            #expect(response.body.contains("\"limit\":\"bodyDeadline\""))
        }
    }

    @Test("an idle connection is kept for a while, then closed")
    func idle() async throws {
        try await withStage { stage in
            let client = try TestClient(port: stage.port)
            for _ in 0..<3 {
                try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try client.readResponse().status == 200)
                try stage.pass(seconds: 74)
            }
            try stage.pass(seconds: 1)
            #expect(try client.readToEnd() == "")
        }
    }

    @Test("a handler that takes long is not cut off")
    func longHandler() async throws {
        let gate = Gate()
        let handler: HTTPServer.Handler = { request in
            if request.path == "/slow" { await gate.wait() }
            return await echo(request)
        }
        try await withStage(handler: handler) { stage in
            let client = try TestClient(port: stage.port)
            try client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
            for _ in 0..<10 { try stage.pass(seconds: 60) }
            gate.open()
            #expect(try client.readResponse().body == "/slow")
        }
    }

    @Test("a client that takes no bytes is cut off, and its writer is told")
    func stalledWrite() async throws {
        let failures = Counter()
        let handler: HTTPServer.Handler = { request in
            guard request.path == "/stream" else { return await echo(request) }
            return .stream(200) { writer in
                do {
                    while true { try await writer.write([UInt8](repeating: 0x78, count: 65_536)) }
                } catch {
                    failures.increment()
                    throw error
                }
            }
        }
        try await withStage(handler: handler) { stage in
            let client = try TestClient(port: stage.port)
            client.shrinkBuffers()
            try client.send("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.readHead().status == 200)
            // A byte now and then is no progress worth waiting for.
            for _ in 0..<6 {
                _ = try client.readBytes(1)
                try stage.pass(seconds: 10)
            }
            try stage.settle()
            #expect(failures.value == 1)
        }
    }

    @Test("a silent stream sends its comments, and only when it is silent")
    func keepAlive() async throws {
        let gate = Gate()
        let handler: HTTPServer.Handler = { request in
            guard request.path == "/events" else { return await echo(request) }
            return .events { writer in
                try await writer.send(data: "one")
                await gate.wait()
                try await writer.send(data: "two\nlines", event: "kind", id: "7")
            }
        }
        try await withStage(handler: handler) { stage in
            let client = try TestClient(port: stage.port)
            try client.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
            let head = try client.readHead()
            #expect(head.headers["Content-Type"] == "text/event-stream")
            #expect(head.headers["X-Accel-Buffering"] == "no")
            #expect(try client.readChunk() == "data: one\n\n")
            try stage.pass(seconds: 14)
            try stage.pass(seconds: 1)
            #expect(try client.readChunk() == ": keep-alive\n\n")
            try stage.pass(seconds: 15)
            #expect(try client.readChunk() == ": keep-alive\n\n")
            try stage.pass(seconds: 14)
            gate.open()
            #expect(try client.readChunk() == "event: kind\nid: 7\ndata: two\ndata: lines\n\n")
            #expect(try client.readChunk() == nil)
            try stage.pass(seconds: 60)
            try client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.readResponse().body == "/next")
        }
    }

    @Test("the date is that of the clock")
    func date() async throws {
        try await withStage { stage in
            let client = try TestClient(port: stage.port)
            try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try client.readResponse().headers["Date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        }
    }
}
