import DurableEngine
import DurableLog
import DurableSecurity
import Foundation
import JSONSchema
import MCPProtocol
import MCPServer
import OrderedJSON
import Synchronization
import Testing

@testable import DurableMCP

/// Servers on one store, with the fixture behind them, for one test.
final class Meeting: Sendable {
    static let fixture: String = {
        // Without it no executable is found, and each test says so.
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return URL(filePath: own ?? "").deletingLastPathComponent().path + "/mcp-fixture"
    }()

    static let alice = Principal(id: "alice", roles: [.use, .operate], authLevel: .session)
    static let bob = Principal(id: "bob", roles: [.use, .operate], authLevel: .session)
    static let carol = Principal(id: "carol", roles: [.approve], authLevel: .session)

    let backing = MemoryBacking(tables: DurableMCPTables.store)
    let ledgerPath = "/tmp/durable-mcp-ledger-\(UUID().uuidString).jsonl"
    let log = Mutex<[String]>([])
    private let processes = Mutex(0)

    deinit { unlink(ledgerPath) }

    /// A config with one fixture, called `fix`.
    func config(
        _ options: [String] = [], name: String = "fix", durable: String = "{}",
        rest: String = ""
    ) throws -> ServerConfig {
        let arguments = (["--ledger", ledgerPath] + options).map { JSONValue.string($0).text }
        let text = """
            {"mcpServers": {"\(name)": {"command": "\(Self.fixture)",
              "args": [\(arguments.joined(separator: ", "))], "durable": \(durable)}}\(rest)}
            """
        return try ServerConfig(parsing: Array(text.utf8))
    }

    func server(
        _ config: ServerConfig, clock: any EngineClock = SystemEngineClock(),
        change: (inout DurableMCPServer.Options) -> Void = { _ in }
    ) async throws -> DurableMCPServer {
        let number = processes.withLock { count in
            count += 1
            return count
        }
        var options = DurableMCPServer.Options(
            secrets: SecretSource(environment: [:], folders: []), version: "1")
        options.clock = clock
        options.guardPath = Self.fixture
        options.engine.retryDelay = .milliseconds(10)
        options.log = { [weak self] line in self?.log.withLock { $0.append(line) } }
        change(&options)
        let store = MemoryEventStore(
            backing: backing, processID: ProcessID(rawValue: "prc_\(number)"))
        return try await DurableMCPServer.open(config: config, store: store, options: options)
    }

    /// Runs a server while `body` uses it.
    func running<Value: Sendable>(
        _ server: DurableMCPServer, _ body: @escaping @Sendable (Client) async throws -> Value
    ) async throws -> Value {
        let value = Mutex<Value?>(nil)
        try await server.run(endsByItself: true) { router in
            let result = try await body(Client(handler: router.handler))
            value.withLock { $0 = result }
        }
        return try #require(value.withLock { $0 })
    }

    /// How often a tool is in the ledger with this event.
    func count(_ event: String, _ tool: String) throws -> Int {
        try ledger().count { $0["event"]?.stringValue == event && $0["tool"]?.stringValue == tool }
    }

    func ledger() throws -> [JSONValue] {
        // A tool that was never called leaves no ledger.
        guard let text = try? String(contentsOfFile: ledgerPath, encoding: .utf8) else { return [] }
        return try text.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    }
}

/// Calls the handler as the router would.
struct Client: Sendable {
    let handler: DurableMCPHandler
    var principal = Meeting.alice

    func acting(as principal: Principal) -> Client {
        Client(handler: handler, principal: principal)
    }

    func context(_ requestID: String? = nil) -> RequestContext<Principal> {
        RequestContext(
            identity: principal, transport: .stdio, protocolVersion: .latestModern,
            callerRequestID: requestID)
    }

    func names() async throws -> [String] { try await list().tools.map(\.name) }

    func list(_ cursor: String? = nil) async throws -> ListToolsResult {
        try await handler.listTools(cursor: cursor, context: context())
    }

    /// Calls a tool; a result of ours must conform to what its definition promises.
    func call(
        _ name: String, _ arguments: JSONObject = [:], requestID: String? = nil
    ) async throws -> CallToolResult {
        let result = try await handler.callTool(
            name: name, arguments: arguments, context: context(requestID))
        if !name.contains("__"), let structured = result.structuredContent {
            let tool = try await list().tools.first { $0.name == name }
            let promised = try #require(tool?.outputSchema)
            let schema = try Schema(compiling: .object(promised))
            #expect(schema.validate(structured).map(\.message) == [])
            #expect(try JSONValue(parsing: result.text) == structured)
        }
        return result
    }

    /// Calls a tool of ours and gives its structured result.
    func ask(
        _ name: String, _ arguments: JSONObject = [:], requestID: String? = nil
    ) async throws -> JSONValue {
        let result = try await call(name, arguments, requestID: requestID)
        return try #require(result.structuredContent, "\(result.text)")
    }
}

extension CallToolResult {
    var run: JSONValue? { meta?["dev.durable-mcp/run"] }
}
