import EpollServer
import MCPProtocol
import OrderedJSON
import Testing

@testable import MCPServer

@Suite("Transcripts", .timeLimit(.minutes(1)))
struct TranscriptTests {
    @Test("a transcript plays over stdio", arguments: Transcript.all)
    func stdio(transcript: Transcript) async throws {
        try await withStdioServer { client in
            for exchange in transcript.exchanges where exchange.only != "http" {
                client.send(bytes: exchange.sent)
                for expected in exchange.received {
                    expect(await client.receive(), matches: expected)
                }
            }
            client.close()
            #expect(await client.receive() == nil, "Nothing comes that was not asked for.")
        }
    }

    @Test("a transcript plays over HTTP", arguments: Transcript.all)
    func http(transcript: Transcript) async throws {
        let client = HTTPClient(identity: "os:tester")
        for exchange in transcript.exchanges where exchange.only != "stdio" {
            let answer = try await client.post(exchange.sent, exchange.headers)
            #expect(answer.status == exchange.status)
            #expect(answer.messages.count == exchange.received.count)
            for (expected, message) in zip(exchange.received, answer.messages) {
                expect(message, matches: expected)
            }
        }
    }

    @Test("there are transcripts of each era that is served")
    func completeness() {
        for version in ["2026-07-28", "2025-11-25", "2025-06-18"] {
            #expect(Transcript.all.contains { $0.name.hasPrefix(version) })
        }
    }

    private func expect(
        _ actual: JSONValue?, matches expected: JSONValue,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(
            Transcript.matches(expected, actual),
            "expected \(expected.text), got \(actual?.text ?? "nothing")",
            sourceLocation: sourceLocation)
    }
}

/// Posts to a binding in memory.
struct HTTPClient: Sendable {
    /// An answer, read.
    struct Answer: Sendable {
        let status: Int
        let headers: HTTPHeaders
        let messages: [JSONValue]
        /// The whole body as text.
        let text: String
    }

    let binding: StreamableHTTPBinding<DemoHandler>

    init(
        _ handler: DemoHandler = DemoHandler(), identity: String = "tester",
        clock: any Clock<Duration> = ManualClock(),
        configuration: StreamableHTTPBinding<DemoHandler>.Configuration = .init()
    ) {
        let router = Router(handler: handler, description: demoDescription, clock: clock)
        binding = StreamableHTTPBinding(router: router, configuration: configuration) { headers in
            switch headers["Authorization"] {
            case nil: .allowed(identity)
            case "Bearer good": .allowed("token:good")
            case "Bearer banned": .forbidden(reason: "this token has no role.")
            default: .unauthorized(challenge: "Bearer", reason: "the token is not known.")
            }
        }
    }

    /// The headers of a modern client for a message.
    static func headers(_ method: String, name: String? = nil) -> HTTPHeaders {
        var headers: HTTPHeaders = [
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            HeaderName.protocolVersion: "2026-07-28", HeaderName.method: method,
        ]
        headers[HeaderName.name] = name
        return headers
    }

    func post(_ body: [UInt8], _ headers: HTTPHeaders) async throws -> Answer {
        try await send(HTTPRequest(method: "POST", target: "/mcp", headers: headers, body: body))
    }

    func send(_ request: HTTPRequest) async throws -> Answer {
        switch await binding.reply(to: request) {
        case .whole(let status, let headers, let body):
            let text = String(decoding: body, as: UTF8.self)
            let messages = body.isEmpty ? [] : [try JSONValue(parsing: body)]
            return Answer(status: status, headers: headers, messages: messages, text: text)
        case .events(let call, let first):
            let text = Collector()
            try await call.follow(from: first) { text.bytes += $0 }
            let whole = String(decoding: text.bytes, as: UTF8.self)
            let messages = try whole.split(separator: "\n").filter { $0.hasPrefix("data: ") }
                .map { try JSONValue(parsing: String($0.dropFirst(6))) }
            return Answer(status: 200, headers: [:], messages: messages, text: whole)
        }
    }

    private final class Collector { var bytes: [UInt8] = [] }
}
