import EpollServer
import Testing

@Suite("Draining an HTTP server", .timeLimit(.minutes(1)))
struct DrainTests {
    @Test("requests in flight finish, idle connections and the port close", arguments: [1, 2])
    func graceful(loops: Int) async throws {
        let started = Gate()
        let gate = Gate()
        let handler: HTTPServer.Handler = { request in
            if request.path == "/slow" {
                started.open()
                await gate.wait()
            }
            return await echo(request)
        }
        let server = HTTPServer(address: "127.0.0.1:0", loops: loops, handler: handler)
        let port = try server.bind()
        async let running: Void = server.run()
        let idle = SharedClient(try TestClient(port: port))
        let busy = SharedClient(try TestClient(port: port))
        try await onThread {
            try idle.client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try idle.client.readResponse().status == 200)
            try busy.client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
        }
        await started.wait()
        server.drain(within: .seconds(600))
        try await onThread {
            #expect(try idle.client.readToEnd() == "")
            gate.open()
            let response = try busy.client.readResponse()
            #expect(response.body == "/slow")
            #expect(response.headers["Connection"] == "close")
            #expect(try busy.client.readToEnd() == "")
            busy.client.endOutput()
        }
        try await running
        #expect(throws: (any Error).self) { try TestClient(port: port) }
    }

    @Test("a stream that does not end is cancelled when the time is over")
    func deadline() async throws {
        let started = Gate()
        let ended = Gate()
        let clock = ManualHTTPClock()
        let server = HTTPServer(address: "127.0.0.1:0", clock: clock) { _ in
            .stream(200) { writer in
                try await writer.write("open")
                started.open()
                if await Gate().waitUnlessCancelled() { ended.open() }
            }
        }
        let port = try server.bind()
        async let running: Void = server.run()
        let shared = SharedClient(try TestClient(port: port))
        try shared.client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        await started.wait()
        server.drain(within: .seconds(10))
        clock.advance(seconds: 9)
        clock.advance(seconds: 1)
        await ended.wait()
        try await running
        let rest = try await onThread { try shared.client.readToEnd() }
        #expect(rest.hasSuffix("open\r\n"))
    }

    @Test("cancelling the task that runs a server drains it")
    func cancelled() async throws {
        let server = HTTPServer(address: "127.0.0.1:0", handler: echo)
        let port = try server.bind()
        let running = Task { try await server.run() }
        let shared = SharedClient(try TestClient(port: port))
        try await onThread {
            try shared.client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(try shared.client.readResponse().status == 200)
        }
        running.cancel()
        try await running.value
        #expect(try await onThread { try shared.client.readToEnd() } == "")
    }

    @Test("a server drained before it runs, or never used, ends at once")
    func unused() async throws {
        let server = HTTPServer(address: "127.0.0.1:0", loops: 3, handler: echo)
        try server.bind()
        server.drain()
        try await server.run()
    }
}
