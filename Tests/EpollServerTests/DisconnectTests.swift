import EpollServer
import Testing

@Suite("Clients that go away", .timeLimit(.minutes(1)))
struct DisconnectTests {
    /// How a client goes.
    enum Leaving: CaseIterable {
        case closing, resetting, endingOutput
    }

    @Test("the handler is cancelled at once", arguments: Leaving.allCases, ["/whole", "/stream"])
    func cancelled(leaving: Leaving, path: String) async throws {
        let started = Gate()
        let ended = Gate()
        let handler: HTTPServer.Handler = { request in
            guard request.path == "/stream" else {
                started.open()
                if await Gate().waitUnlessCancelled() { ended.open() }
                return .whole(200)
            }
            return .stream(200) { writer in
                try await writer.write("open")
                started.open()
                if await Gate().waitUnlessCancelled() { ended.open() }
            }
        }
        try await withServer(handler: handler) { port, _ in
            let shared = SharedClient(try TestClient(port: port))
            try shared.client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\r\n")
            await started.wait()
            switch leaving {
            case .closing: break
            case .resetting: shared.client.abort()
            case .endingOutput: shared.client.endOutput()
            }
            if leaving != .endingOutput { shared.drop() }
            // Without cancellation this waits for ever, and the time limit fails the test.
            await ended.wait()
        }
    }

    @Test("a client that only ends its output still gets its response")
    func halfClose() async throws {
        let handler: HTTPServer.Handler = { request in
            if request.path == "/slow" { _ = await Gate().waitUnlessCancelled() }
            return await echo(request)
        }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                for paths in [["/a"], ["/a", "/b", "/c"], ["/slow"], ["/a", "/slow", "/b"]] {
                    let client = try TestClient(port: port)
                    try client.send(
                        paths.map { "GET \($0) HTTP/1.1\r\nHost: h\r\n\r\n" }.joined() + "GET /cut")
                    client.endOutput()
                    #expect(try paths.map { _ in try client.readResponse().body } == paths)
                    #expect(try client.readToEnd() == "")
                }
            }
        }
    }

    @Test("a client that goes in the middle of a request leaves nothing behind")
    func halfRequest() async throws {
        let handled = Counter()
        let handler: HTTPServer.Handler = { request in
            handled.increment()
            return await echo(request)
        }
        try await withServer(handler: handler) { port, _ in
            try await onThread {
                for text in [
                    "", "G", "GET / HTTP/1.1\r\n",
                    "POST / HTTP/1.1\r\nHost: h\r\n"
                        + "Content-Length: 5\r\n\r\n1234",
                ] {
                    let client = try TestClient(port: port)
                    try client.send(Array(text.utf8))
                    client.endOutput()
                    #expect(try client.readToEnd() == "")
                }
            }
        }
        #expect(handled.value == 0)
    }

    @Test("a client that sends on during a stream loses it, so that its going cannot be hidden")
    func excessData() async throws {
        let cancelled = Gate()
        let handler: HTTPServer.Handler = { _ in
            .stream(200) { writer in
                try await writer.write("open")
                if await Gate().waitUnlessCancelled() { cancelled.open() }
            }
        }
        try await withServer(handler: handler) { port, _ in
            let shared = SharedClient(try TestClient(port: port))
            try await onThread {
                try shared.client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                _ = try shared.client.readHead()
                #expect(try shared.client.readChunk() == "open")
                // The server may close before it has taken everything.
                try? shared.client.send([UInt8](repeating: 0x78, count: 256 * 1024))
            }
            await cancelled.wait()
        }
    }

    @Test("a client hidden behind unread requests is still seen to go")
    func behindPipeline() async throws {
        let started = Gate()
        let ended = Gate()
        let handler: HTTPServer.Handler = { request in
            if request.path == "/slow" {
                started.open()
                if await Gate().waitUnlessCancelled() { ended.open() }
            }
            return await echo(request)
        }
        var limits = HTTPLimits()
        limits.pipelinedBytes = 1024
        try await withServer(limits: limits, handler: handler) { port, _ in
            let shared = SharedClient(try TestClient(port: port))
            try shared.client.send("GET /slow HTTP/1.1\r\nHost: h\r\n\r\n")
            await started.wait()
            try await onThread {
                let text = String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 500)
                try shared.client.send(text)
                // Once another client was answered, these bytes were read, and no more are.
                let other = try TestClient(port: port)
                try other.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
                #expect(try other.readResponse().status == 200)
                try shared.client.send(text)
                shared.client.endOutput()
            }
            await ended.wait()
        }
    }

    @Test("a client that sends requests and takes no responses is not served without end")
    func noReading() async throws {
        let handled = Counter()
        let body = [UInt8](repeating: 0x78, count: 10_000)
        let handler: HTTPServer.Handler = { request in
            if request.path != "/other" { handled.increment() }
            return .whole(200, body: body)
        }
        let count = 20_000
        try await withServer(handler: handler) { port, _ in
            let shared = SharedClient(try TestClient(port: port))
            async let sending: Void = onThread {
                let one = "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
                try shared.client.send(String(repeating: one, count: count))
            }
            try await onThread {
                let other = try TestClient(port: port)
                for _ in 0..<200 {
                    try other.send("GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
                    _ = try other.readResponse()
                }
                #expect(handled.value < count / 2)
                for _ in 0..<count { _ = try shared.client.readResponse() }
            }
            try await sending
            #expect(handled.value == count)
        }
    }
}
