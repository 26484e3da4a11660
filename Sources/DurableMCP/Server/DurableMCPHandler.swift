internal import Audit
internal import DurableEngine
internal import DurableLog
public import DurableSecurity
public import MCPProtocol
public import MCPServer
internal import OpenSSLCrypto
public import OrderedJSON

/// What the server offers: tools of its own, and those of the servers behind it, for whoever has
/// the roles.
public struct DurableMCPHandler: MCPHandler {
    /// Who calls, as the transport has authenticated it.
    public typealias Identity = Principal

    /// How many tools a page of the list holds.
    static let pageSize = 500
    /// How long clients may keep the list; short while some server is awaited.
    private static let listLifetime: Duration = .seconds(60)
    private static let shortLifetime: Duration = .seconds(5)

    let engine: Engine
    let catalogue: Catalogue
    private let ownTools: [OwnTool]
    private let proxies: Bool

    init(
        engine: Engine, catalogue: Catalogue, auditor: Auditor, exposed: Set<ToolGroup>,
        clock: any EngineClock
    ) {
        self.engine = engine
        self.catalogue = catalogue
        let all =
            RunTools(engine: engine, catalogue: catalogue, clock: clock).all
            + ApprovalTools(engine: engine).all + AuditTools(auditor: auditor).all
        ownTools = all.filter { exposed.contains($0.group) }
        proxies = exposed.contains(.proxy)
    }

    /// Our own tools, then those of the servers behind us, as far as the caller's roles go.
    public func listTools(
        cursor: String?, context: RequestContext<Principal>
    ) async throws -> ListToolsResult {
        let principal = context.identity
        var tools = ownTools.filter { $0.isShown(to: principal) }.map(\.definition)
        if proxies, principal.has(.use) {
            tools += try await catalogue.usableItems().map(\.shown)
        }
        let start = try cursor.map { cursor throws(RPCError) in
            try Self.start(of: cursor, in: tools)
        }
        let page = tools[(start ?? 0)...].prefix(Self.pageSize)
        let isLast = page.endIndex == tools.endIndex
        let lifetime = catalogue.isIncomplete ? Self.shortLifetime : Self.listLifetime
        return ListToolsResult(
            tools: Array(page), nextCursor: isLast ? nil : page.last.map { Self.cursor(after: $0) },
            caching: Caching(timeToLive: lifetime, scope: .private))
    }

    /// Calls a tool of our own, or makes a one-step run of one behind us.
    public func callTool(
        name: String, arguments: JSONObject, context: RequestContext<Principal>
    ) async throws -> CallToolResult {
        if let tool = ownTools.first(where: { $0.name == name }) {
            return try await tool.call(OwnCall(arguments: arguments, context: context))
        }
        guard proxies else { throw RPCError.unknownTool(name) }
        guard context.identity.has(.use) else {
            return .refusal(of: name, to: context.identity, lacking: [.use])
        }
        await catalogue.awaitFirstSight(ofToolNamed: name)
        switch await catalogue.tool(named: name) {
        case .absent(let reason):
            throw RPCError(kind: .invalidParams, message: "Unknown tool: \(reason)")
        case .unavailable(let reason): return CallToolResult(text: reason, isError: true)
        case .found: break
        }
        let item = catalogue.item(named: name)
        if let problem = item?.problem(with: arguments) {
            return CallToolResult(text: problem, isError: true)
        }
        do throws(EngineError) {
            let snapshot = try await engine.call(
                RunRequest(
                    work: .call(tool: name, arguments: arguments),
                    requestID: context.callerRequestID),
                by: context.identity)
            return DirectCall(
                snapshot: snapshot, promisesStructure: item?.shown.outputSchema != nil
            ).result
        } catch {
            if error.code == .stopping { try Task.checkCancellation() }
            return CallToolResult(text: error.message, isError: true)
        }
    }

    // MARK: Pages

    /// Opaque to clients: the name of the last tool of the page before.
    private static func cursor(after tool: ToolDefinition) -> String {
        Base64URL.encode(Array(tool.name.utf8))
    }

    private static func start(
        of cursor: String, in tools: [ToolDefinition]
    ) throws(RPCError) -> Int {
        // Any other text is no cursor, whatever is wrong with it.
        guard let bytes = try? Base64URL.decode(cursor) else { throw .invalidCursor() }
        let name = String(decoding: bytes, as: UTF8.self)
        guard let index = tools.firstIndex(where: { $0.name == name }) else {
            throw .invalidCursor()
        }
        return index + 1
    }
}
