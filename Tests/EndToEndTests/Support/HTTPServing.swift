import Foundation
import LinuxPlatform
import MCPProtocol
import OrderedJSON
import Testing

/// A server over HTTP that a test has started, and how to talk to it.
final class HTTPServing: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let program: RunningProgram
    let port: Int
    /// The token that the server made, where it made one.
    let token: String?

    /// Starts a server on a free port and waits until it says where it is.
    init(in workplace: Workplace, _ more: String...) async throws {
        let program = try workplace.start(["serve", "--http", "127.0.0.1:0"] + more)
        self.program = program
        let config = try await awaited("the address of \(program)") {
            if let ending = program.ending {
                throw Failure(description: "\(program) ended: \(ending)")
            }
            // What it prints is whole once it can be parsed.
            return try? JSONValue(parsing: program.lines.joined(separator: "\n"))
        }
        let server = config["mcpServers"]?["durable"]
        let url = try #require(server?["url"]?.stringValue.flatMap(URL.init(string:)))
        #expect(url.path == "/mcp")
        port = try #require(url.port)
        let header = server?["headers"]?["Authorization"]?.stringValue
        token = header.map { String($0.dropFirst("Bearer ".count)) }
    }

    /// Calls a tool as a client of the modern era does.
    func call(
        _ tool: String, _ arguments: JSONObject = [:], token: String? = nil,
        headers: [(String, String)] = []
    ) async throws -> ToolAnswer {
        let params: JSONObject = ["name": .string(tool), "arguments": .object(arguments)]
        let response = try await request(
            Method.callTool, params, token: token ?? self.token, headers: headers)
        guard response.status == 200, let result = response.json?["result"]?.objectValue else {
            throw Failure(description: "\(response.status): \(response.text)")
        }
        return ToolAnswer(result)
    }

    /// Sends one request of the modern era.
    func request(
        _ method: String, _ params: JSONObject, token: String?,
        headers more: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        let message = JSONRPCMessage.request(
            JSONRPCRequest(
                id: .integer(1), method: method, params: ModernRequest.params(params)))
        var headers = [
            (HeaderName.protocolVersion, ModernRequest.version.rawValue),
            (HeaderName.method, method),
        ]
        if let name = params["name"]?.stringValue { headers.append((HeaderName.name, name)) }
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        return try await send("POST", message.json.serialized(), headers: headers + more)
    }

    /// Sends any request, on a connection of its own.
    func send(
        _ method: String, _ body: [UInt8] = [], headers: [(String, String)] = []
    ) async throws -> HTTPAnswer {
        var lines = ["\(method) /mcp HTTP/1.1", "Connection: close"]
        let standard = [
            ("Host", "127.0.0.1:\(port)"), ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Length", String(body.count)),
        ]
        let given = Set(headers.map { $0.0.lowercased() })
        for (name, value) in standard.filter({ !given.contains($0.0.lowercased()) }) + headers {
            lines.append("\(name): \(value)")
        }
        let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + body
        let port = port
        let answer = try await onThread { try Self.exchange(bytes, port: port) }
        return try HTTPAnswer(answer)
    }

    private static func exchange(_ request: [UInt8], port: Int) throws -> [UInt8] {
        let socket = try ConnectedSocket(
            connectingTo: SocketAddress.loopback(port: UInt16(port)))
        socket.limitWaiting(toSeconds: 60)
        var sent = 0
        sending: while sent < request.count {
            switch socket.write(request.span.extracting(sent...)) {
            case .bytes(let count): sent += count
            // A server may refuse before it has read all.
            case .wouldBlock, .failed: break sending
            }
        }
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            switch socket.read(into: &buffer) {
            case .bytes(let count): answer += buffer[..<count]
            case .end: return answer
            case .wouldBlock: throw Failure(description: "The server says nothing.")
            case .failed where !answer.isEmpty: return answer
            case .failed: throw Failure(description: "The connection was reset.")
            }
        }
    }
}

/// An HTTP response as a client sees it.
struct HTTPAnswer: Sendable {
    let status: Int
    let headers: [String: String]
    let text: String

    init(_ bytes: [UInt8]) throws {
        let whole = String(decoding: bytes, as: UTF8.self)
        guard let end = whole.firstRange(of: "\r\n\r\n") else {
            throw HTTPServing.Failure(description: "No response: '\(whole)'")
        }
        var lines = whole[..<end.lowerBound].split(separator: "\r\n")
        status = Int(lines.removeFirst().split(separator: " ")[1]) ?? 0
        let pairs = lines.compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (line[..<colon].lowercased(), String(line[colon...].dropFirst(2)))
        }
        headers = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        let body = String(whole[end.upperBound...])
        text = headers["transfer-encoding"] == "chunked" ? Self.joined(chunks: body) : body
    }

    /// The JSON of the body; of a stream, the last event's.
    var json: JSONValue? {
        let events = text.split(separator: "\n").filter { $0.hasPrefix("data:") }
        let last = events.last.map { String($0.dropFirst(5)) } ?? text
        // What is no JSON is shown by the expectation that wanted it.
        return try? JSONValue(parsing: last.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private static func joined(chunks: String) -> String {
        var rest = Array(chunks.utf8)[...]
        var body: [UInt8] = []
        while let end = rest.firstIndex(of: 13) {
            let size = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16) ?? 0
            if size == 0 { break }
            let start = end + 2
            body += rest[start..<min(start + size, rest.endIndex)]
            rest = rest.dropFirst(start - rest.startIndex + size + 2)
        }
        return String(decoding: body, as: UTF8.self)
    }
}

/// Runs blocking work on a thread of its own, and gives its result.
func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
    try await withCheckedThrowingContinuation { (done: CheckedContinuation<Value, any Error>) in
        do {
            try SystemThread.start(named: "e2e-client") {
                done.resume(with: Result(catching: body))
            }
        } catch {
            done.resume(throwing: error)
        }
    }
}
