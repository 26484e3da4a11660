import DurableTesting
import Foundation
import MCPProtocol
import OrderedJSON
import Synchronization
import Testing

/// A raw client on a server's standard streams, which sends exactly what a test says.
final class StdioClient: Sendable {
    enum Era { case modern, legacy }

    /// The server ended before it answered.
    struct ServerEnded: Error, CustomStringConvertible {
        let description: String
    }

    private struct State {
        var lastID = 0
        var linesRead = 0
        var answers: [Int: JSONRPCMessage] = [:]
        var strays: [JSONRPCMessage] = []
    }

    let program: RunningProgram
    let era: Era
    private let state = Mutex(State())

    init(_ program: RunningProgram, era: Era = .modern) {
        self.program = program
        self.era = era
    }

    func initialize() async throws {
        let result = try await request(
            Method.initialize,
            [
                "protocolVersion": "2025-11-25", "capabilities": [:],
                "clientInfo": ["name": "end-to-end", "version": "1"],
            ])
        #expect(result["protocolVersion"] == "2025-11-25")
        try program.writeLine(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
    }

    /// Sends a request, and gives its id.
    func send(_ method: String, _ params: JSONObject) throws -> Int {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let request = JSONRPCRequest(
            id: .integer(id), method: method,
            params: era == .modern ? ModernRequest.params(params) : params)
        try program.write(JSONRPCMessage.request(request).json.serialized() + [10])
        return id
    }

    /// The answer to a request, once it is there.
    func answer(to id: Int, within limit: Duration = .seconds(30)) async throws -> JSONRPCMessage {
        try await awaited("an answer from \(program)", within: limit) {
            // Read before the answers: what it wrote last is looked at once more.
            let hasEnded = !program.isRunning
            if let answer = try take(id) { return answer }
            if hasEnded { throw ServerEnded(description: "\(program) ended without an answer.") }
            return nil
        }
    }

    func request(
        _ method: String, _ params: JSONObject = [:], within limit: Duration = .seconds(30)
    ) async throws -> JSONObject {
        try await answer(to: send(method, params), within: limit).result
    }

    /// Waits until the server answers, three times out of four: a kill may come before that too.
    func awaitStartMostly(_ random: inout SeededGenerator) async throws {
        if Int.random(in: 0..<4, using: &random) > 0 { _ = try await request(Method.discover) }
    }

    /// Calls a tool.
    func call(
        _ tool: String, _ arguments: JSONObject = [:], requestID: String? = nil,
        within limit: Duration = .seconds(30)
    ) async throws -> ToolAnswer {
        let params = ToolAnswer.params(tool, arguments, requestID)
        return ToolAnswer(try await request(Method.callTool, params, within: limit))
    }

    /// Sends a call whose answer is not awaited.
    func post(_ tool: String, _ arguments: JSONObject, requestID: String? = nil) throws -> Int {
        try send(Method.callTool, ToolAnswer.params(tool, arguments, requestID))
    }

    /// The next message that answers no request of ours, such as an error without an id.
    func stray() async throws -> JSONRPCMessage {
        try await awaited("a message from \(program)") {
            try readLines()
            return state.withLock { $0.strays.isEmpty ? nil : $0.strays.removeFirst() }
        }
    }

    /// The answer to a request, if it has come.
    func answerIfThere(to id: Int) throws -> JSONRPCMessage? { try take(id) }

    private func take(_ id: Int) throws -> JSONRPCMessage? {
        try readLines()
        return state.withLock { $0.answers.removeValue(forKey: id) }
    }

    private func readLines() throws {
        let lines = program.lines
        try state.withLock { state in
            while state.linesRead < lines.count {
                let message = try JSONRPCMessage(
                    json: JSONValue(parsing: lines[state.linesRead]))
                state.linesRead += 1
                switch message {
                case .result(.integer(let id), _), .error(.integer(let id)?, _):
                    state.answers[id] = message
                default: state.strays.append(message)
                }
            }
        }
    }
}

extension StdioClient {
    /// A run once it has ended, or waits for somebody.
    func settled(_ run: String, within limit: Duration = .seconds(30)) async throws -> ToolAnswer {
        try await awaited("the end of \(run)", within: limit) {
            let answer = try await call(
                "get_run_status", ["runId": .string(run), "waitSeconds": 10])
            #expect(!answer.isError, "\(answer.text)")
            let isSettled = ["waiting", "completed", "failed", "cancelled", "parked"]
                .contains(answer.status)
            return isSettled ? answer : nil
        }
    }
}

extension JSONRPCMessage {
    /// The result; throws the error that stands in its place.
    var result: JSONObject {
        get throws {
            switch self {
            case .result(_, let result): return result
            case .error(_, let error): throw error
            case .request, .notification: throw Overdue(description: "No answer, but \(self)")
            }
        }
    }

    var toolAnswer: ToolAnswer { get throws { ToolAnswer(try result) } }
}

/// The metadata that every request of the modern era carries.
enum ModernRequest {
    static let version = ProtocolVersion.latestModern

    static func params(_ params: JSONObject) -> JSONObject {
        var params = params
        params["_meta"] = .object(
            RequestMeta(
                version: version,
                clientInfo: Implementation(name: "end-to-end", version: "1"),
                capabilities: ClientCapabilities(), adding: params["_meta"]?.objectValue ?? [:]
            ).json)
        return params
    }
}

/// What a tool answered.
struct ToolAnswer: Sendable {
    let json: JSONObject

    init(_ json: JSONObject) { self.json = json }

    var isError: Bool { json["isError"]?.boolValue ?? false }

    /// All text of the answer.
    var text: String {
        (json["content"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }.joined()
    }

    subscript(key: String) -> JSONValue? { json["structuredContent"]?[key] }

    /// The status of the run that is answered about.
    var status: String? { self["status"]?.stringValue ?? run?["status"]?.stringValue }

    var runID: String? { self["runId"]?.stringValue ?? run?["runId"]?.stringValue }

    /// The approval that is waited for.
    var approvalID: String? {
        self["waitingOn"]?["approvalId"]?.stringValue ?? run?["approvalId"]?.stringValue
    }

    private var run: JSONValue? { json["_meta"]?[MetaKey.run] }

    static func params(
        _ tool: String, _ arguments: JSONObject, _ requestID: String?
    ) -> JSONObject {
        var params: JSONObject = ["name": .string(tool), "arguments": .object(arguments)]
        if let requestID { params["_meta"] = [MetaKey.requestID: .string(requestID)] }
        return params
    }
}
