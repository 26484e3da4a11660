import EpollServer
import LinuxPlatform
import MCPProtocol
import OrderedJSON
import Testing

@testable import MCPServer

/// Posts over a real connection, and reads to its end.
struct SocketClient: Sendable {
    struct Failure: Error { let reason: String }

    let port: Int

    /// Sends a request; the connection is closed once `isEnough` of what came is true, or by the
    /// server.
    func post(
        _ body: [UInt8], _ headers: HTTPHeaders,
        until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }
    ) async throws -> String {
        var head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        for field in headers.fields { head += "\(field.name): \(field.value)\r\n" }
        head += "Content-Length: \(body.count)\r\n\r\n"
        let bytes = Array(head.utf8) + body
        let address = SocketAddress.loopback(port: UInt16(port))
        return try await withCheckedThrowingContinuation {
            (done: CheckedContinuation<String, any Error>) in
            do {
                try SystemThread.start(named: "test-client") {
                    done.resume(
                        with: Result { try Self.exchange(bytes, with: address, until: isEnough) })
                }
            } catch {
                done.resume(throwing: error)
            }
        }
    }

    private static func exchange(
        _ bytes: [UInt8], with address: SocketAddress, until isEnough: (String) -> Bool
    ) throws -> String {
        let socket = try ConnectedSocket(connectingTo: address)
        socket.limitWaiting(toSeconds: 20)
        var sent = 0
        while sent < bytes.count {
            guard case .bytes(let count) = socket.write(bytes.span.extracting(sent...)) else {
                throw Failure(reason: "The server takes no bytes.")
            }
            sent += count
        }
        var buffer = [UInt8](repeating: 0, count: 4096)
        var text = ""
        while !isEnough(text) {
            switch socket.read(into: &buffer) {
            case .bytes(let count): text += String(decoding: buffer[..<count], as: UTF8.self)
            case .end: return text
            case .wouldBlock: throw Failure(reason: "The server says nothing.")
            case .failed: throw Failure(reason: "The connection was reset.")
            }
        }
        return text
    }
}

@Suite("HTTP over a real socket", .timeLimit(.minutes(1)))
struct SocketTests {
    private func withServer(
        _ handler: DemoHandler, clock: any Clock<Duration> = ManualClock(),
        _ body: (SocketClient) async throws -> Void
    ) async throws {
        let binding = HTTPClient(handler, clock: clock).binding
        let server = HTTPServer(address: "127.0.0.1:0") { await binding.respond(to: $0) }
        let port = try server.bind()
        async let running: Void = server.run()
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(SocketClient(port: port)))
        } catch {
            result = .failure(error)
        }
        server.drain(within: .zero)
        try await running
        try result.get()
    }

    @Test("an answer comes as JSON, with its length")
    func whole() async throws {
        try await withServer(DemoHandler()) { client in
            let text = try await client.post(
                StreamableHTTPTests.echo, StreamableHTTPTests.echoHeaders)
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.contains("Content-Type: application/json\r\n"))
            #expect(text.contains(#""structuredContent":{"a":1}"#))
        }
    }

    @Test("progress comes as a stream that proxies do not hold back")
    func stream() async throws {
        try await withServer(DemoHandler()) { client in
            let text = try await client.post(
                modern(
                    1, "tools/call", ["name": "progress"], meta: ["progressToken": 1]
                ).serialized(), HTTPClient.headers("tools/call", name: "progress"))
            #expect(text.contains("Content-Type: text/event-stream\r\n"))
            #expect(text.contains("X-Accel-Buffering: no\r\n"))
            #expect(text.contains(#""method":"notifications/progress""#))
            #expect(text.contains(#""text":"done""#))
        }
    }

    @Test("closing the connection cancels the call")
    func disconnect() async throws {
        let handler = DemoHandler()
        let clock = ManualClock()
        try await withServer(handler, clock: clock) { client in
            async let text = client.post(
                modern(1, "tools/call", ["name": "wait"]).serialized(),
                HTTPClient.headers("tools/call", name: "wait"),
                until: { $0.contains(": still working") })
            #expect(await handler.events.stream.next() == "started")
            await clock.sleeps.stream.next()
            clock.advance(by: .seconds(10))
            let seen = try await text
            #expect(seen.contains("HTTP/1.1 200 OK"))
            #expect(await handler.events.stream.next() == "cancelled")
        }
    }
}
