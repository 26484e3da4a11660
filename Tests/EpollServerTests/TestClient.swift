import EpollServer
import LinuxPlatform

/// A failure of a test's own client.
struct TestClientError: Error, CustomStringConvertible {
    let description: String
}

/// A response as a client sees it.
struct TestResponse: Equatable {
    var status: Int
    var headers: HTTPHeaders
    var body: String
}

/// A plain, blocking HTTP client that can also send what no client should.
final class TestClient {
    private let socket: ConnectedSocket
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    private var input: [UInt8] = []
    private var start = 0

    convenience init(port: Int) throws {
        try self.init(address: .loopback(port: UInt16(port)))
    }

    init(address: SocketAddress) throws {
        socket = try ConnectedSocket(connectingTo: address)
        socket.limitWaiting(to: .seconds(20))
        socket.sendWithoutDelay()
    }

    /// Sends everything, and fails if the server has closed.
    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            switch socket.write(bytes.span.extracting(sent...)) {
            case .bytes(let count): sent += count
            case .wouldBlock: throw TestClientError(description: "The server takes no bytes.")
            case .failed: throw TestClientError(description: "The server has closed.")
            }
        }
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func endOutput() { socket.endOutput() }

    func shrinkBuffers() { socket.limitBuffers(toBytes: 4096) }

    /// Whether the server has said something, or closed, without being asked.
    func hasInput() throws -> Bool {
        socket.limitWaiting(to: .milliseconds(1))
        defer { socket.limitWaiting(to: .seconds(20)) }
        switch socket.read(into: &buffer) {
        case .bytes(let count):
            input.append(contentsOf: buffer[..<count])
            return true
        case .end, .failed: return true
        case .wouldBlock: return false
        }
    }

    func abort() { socket.abortOnClose() }

    /// Reads the next line without its line break; nil at the end.
    func readLine() throws -> String? {
        while true {
            if let end = input[start...].firstIndex(of: UInt8(ascii: "\n")) {
                var line = input[start..<end]
                start = end + 1
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return String(decoding: line, as: UTF8.self)
            }
            guard try readMore() else { return nil }
        }
    }

    /// Reads exactly `count` bytes.
    func readBytes(_ count: Int) throws -> [UInt8] {
        while input.count - start < count {
            guard try readMore() else { throw TestClientError(description: "The body is cut.") }
        }
        defer { start += count }
        return Array(input[start..<(start + count)])
    }

    /// Reads up to the end, which must come.
    func readToEnd() throws -> String {
        while try readMore() {}
        defer { start = input.count }
        return String(decoding: input[start...], as: UTF8.self)
    }

    /// Reads one response, with a body of known length or in chunks.
    func readResponse(toHead: Bool = false) throws -> TestResponse {
        var response = try readHead()
        if toHead { return response }
        if let length = response.headers["Content-Length"].flatMap({ Int($0) }) {
            response.body = String(decoding: try readBytes(length), as: UTF8.self)
        } else if response.headers["Transfer-Encoding"] == "chunked" {
            while let chunk = try readChunk() { response.body += chunk }
        }
        return response
    }

    func readHead() throws -> TestResponse {
        guard let first = try readLine() else {
            throw TestClientError(description: "The server closed without a response.")
        }
        let parts = first.split(separator: " ")
        guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else {
            throw TestClientError(description: "Not a status line: \(first)")
        }
        var response = TestResponse(status: status, headers: [:], body: "")
        while let line = try readLine(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else {
                throw TestClientError(description: "Not a header field: \(line)")
            }
            response.headers.append(
                String(line[..<colon]), String(line[colon...].dropFirst(2)))
        }
        return response
    }

    /// Reads one chunk; nil for the last.
    func readChunk() throws -> String? {
        guard let line = try readLine(), let count = Int(line, radix: 16) else {
            throw TestClientError(description: "No chunk.")
        }
        let chunk = try readBytes(count)
        guard try readLine() == "" else { throw TestClientError(description: "Chunk not ended.") }
        return count == 0 ? nil : String(decoding: chunk, as: UTF8.self)
    }

    private func readMore() throws -> Bool {
        if start == input.count {
            input.removeAll(keepingCapacity: true)
            start = 0
        }
        switch socket.read(into: &buffer) {
        case .bytes(let count):
            input.append(contentsOf: buffer[..<count])
            return true
        case .end: return false
        case .wouldBlock: throw TestClientError(description: "The server says nothing.")
        case .failed: throw TestClientError(description: "The connection was reset.")
        }
    }
}

/// Runs blocking work on a thread of its own, and gives its result.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
{
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Value, any Error>) in
        do {
            try SystemThread.start(named: "test-client") {
                done.resume(with: Result(catching: body))
            }
        } catch {
            done.resume(throwing: error)
        }
    }
}

/// Serves with `handler` while `body` runs with the port, then drains.
func withServer<Value: Sendable>(
    limits: HTTPLimits = HTTPLimits(), loops: Int = 1, clock: any HTTPClock = SystemHTTPClock(),
    handler: @escaping HTTPServer.Handler,
    _ body: (Int, HTTPServer) async throws -> Value
) async throws -> Value {
    let server = HTTPServer(
        address: "127.0.0.1:0", limits: limits, loops: loops, clock: clock, handler: handler)
    let port = try server.bind()
    async let running: Void = server.run()
    let result: Result<Value, any Error>
    do { result = .success(try await body(port, server)) } catch { result = .failure(error) }
    server.drain(within: .zero)
    try await running
    return try result.get()
}

/// Answers with what it got.
let echo: HTTPServer.Handler = { request in
    let body = request.body.isEmpty ? Array(request.target.utf8) : request.body
    return .whole(200, headers: ["Content-Type": "text/plain"], body: body)
}
