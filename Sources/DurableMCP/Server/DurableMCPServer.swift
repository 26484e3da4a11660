internal import Audit
public import DurableEngine
public import DurableLog
public import DurableSecurity
public import EpollServer
internal import MCPClient
internal import MCPProtocol
public import MCPServer

/// The whole server: an engine on a store, the tools of the servers behind it, and its own.
///
/// Open one, then serve with ``serveStdio(as:)`` or ``serveHTTP(at:onListening:authenticate:)``;
/// each serves once, and closes the store at its end.
public final class DurableMCPServer: Sendable {
    /// What a server is given from outside.
    public struct Options: Sendable {
        /// Where the values behind references in the configuration come from.
        public var secrets: SecretSource
        /// The version that the server says it has.
        public var version: String
        /// How the engine behaves; its log is ``log``.
        public var engine = EngineConfiguration()
        /// The time.
        public var clock: any EngineClock = SystemEngineClock()
        /// Where ids come from.
        public var identifiers: any IdentifierSource = SystemIdentifiers()
        /// An executable that runs as the guard of upstreams; nil for the one running now.
        public var guardPath: String?
        /// How long calls under way may go on, once the server is to stop.
        public var stopPatience: Duration = .seconds(30)
        /// Takes a line about whatever a person should know; no contents, no secrets.
        public var log: @Sendable (String) -> Void = { _ in }

        /// The defaults.
        public init(secrets: SecretSource, version: String) {
            self.secrets = secrets
            self.version = version
        }
    }

    /// How a server serves, once its engine runs.
    public typealias Serving =
        @Sendable (Router<DurableMCPHandler>) async throws -> Void

    /// What carries runs out.
    public let engine: Engine
    /// The tools of the servers behind it.
    public let catalogue: Catalogue
    /// What is behind the protocol.
    public let handler: DurableMCPHandler

    let config: ServerConfig
    let options: Options
    let stopping = Latch()
    private let store: any EventStore

    private init(
        config: ServerConfig, store: any EventStore, options: Options, engine: Engine,
        catalogue: Catalogue
    ) {
        self.config = config
        self.store = store
        self.options = options
        self.engine = engine
        self.catalogue = catalogue
        handler = DurableMCPHandler(
            engine: engine, catalogue: catalogue,
            auditor: Auditor(store: store, keys: engine.keys), exposed: config.exposed,
            clock: options.clock)
    }

    /// A server on a store that was opened with ``DurableMCPTables/store``.
    ///
    /// No upstream is started before it serves.
    ///
    /// - Throws: `StoreError` where the store's secret or its catalogue cannot be read.
    public static func open(
        config: ServerConfig, store: any EventStore, options: Options
    ) async throws(StoreError) -> DurableMCPServer {
        let keys = try await Engine.storeKeys(of: store)
        let catalogue = Catalogue(
            config.upstreams, store: store, keys: keys, clock: options.clock,
            surroundings: UpstreamSurroundings(
                secrets: options.secrets,
                clientInfo: Implementation(name: "durable-mcp", version: options.version),
                time: .machine, guardPath: options.guardPath, log: options.log))
        try await catalogue.load()
        var configuration = options.engine
        configuration.log = options.log
        let engine = try await Engine.open(
            store: store, tools: catalogue, clock: options.clock,
            identifiers: options.identifiers, configuration: configuration)
        return DurableMCPServer(
            config: config, store: store, options: options, engine: engine, catalogue: catalogue)
    }

    /// Has whoever serves end: what is under way is finished or handed on, and it returns.
    public func stop() { stopping.open() }

    // MARK: Serving

    /// Serves one client over standard input and output, until it goes.
    ///
    /// - Throws: What the operating system gives no thread for.
    public func serveStdio(as principal: Principal) async throws {
        try await run { router in
            try await StdioServer(router: router, identity: principal).run()
        }
    }

    /// Serves over HTTP, until ``stop()`` is called or the task is cancelled.
    ///
    /// - Parameters:
    ///   - address: An IP address and a port; port 0 asks for a free one.
    ///   - onListening: Hears the port, once clients may connect.
    ///   - authenticate: Finds out who sends a request.
    /// - Throws: `HTTPServerError` where the address cannot be served.
    public func serveHTTP(
        at address: String, onListening: @escaping @Sendable (Int) -> Void = { _ in },
        authenticate: @escaping @Sendable (HTTPHeaders) async -> Authentication<Principal>
    ) async throws {
        let (config, stopping) = (config, stopping)
        try await run(endsByItself: true) { router in
            var binding = StreamableHTTPBinding<DurableMCPHandler>.Configuration()
            binding.origins = OriginPolicy(
                hosts: config.access.allowedHosts, origins: config.access.allowedOrigins)
            binding.messageBytes = config.limits.bodyBytes
            var limits = HTTPLimits()
            limits.bodyBytes = config.limits.bodyBytes
            let http = StreamableHTTPBinding(
                router: router, configuration: binding, authenticate: authenticate)
            let server = HTTPServer(address: address, limits: limits) { request in
                await http.respond(to: request)
            }
            onListening(try server.bind())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await stopping.wait()
                    if stopping.isOpen { server.drain() }
                }
                try await server.run()
                group.cancelAll()
            }
        }
    }

    /// Runs the engine and the catalogue while `serve` serves, and ends them in that order.
    ///
    /// `serve` is cancelled by ``stop()``, unless it says that it ends by itself then.
    public func run(
        endsByItself: Bool = false, _ serve: @escaping Serving
    ) async throws {
        for warning in config.warnings { options.log("\(warning)") }
        let outcome = await withTaskGroup(of: Void.self) { outside in
            outside.addTask { await self.catalogue.run() }
            let outcome = await runEngine { router in
                try await self.serveUntilStopped(router, endsByItself, serve)
            }
            outside.cancelAll()
            return outcome
        }
        await store.close()
        try outcome.get()
    }

    private enum Part: Sendable {
        case engineEnded
        case served(Result<Void, any Error>)
        case patienceOver
    }

    private func runEngine(_ serve: @escaping Serving) async -> Result<Void, any Error> {
        let router = Router(
            handler: handler, description: description, log: options.log)
        return await withTaskGroup(of: Part.self) { group in
            group.addTask {
                await self.engine.run()
                return .engineEnded
            }
            group.addTask {
                do {
                    return .served(.success(try await serve(router)))
                } catch {
                    return .served(.failure(error))
                }
            }
            var outcome: Result<Void, any Error> = .success(())
            parts: for await part in group {
                switch part {
                case .served(let result):
                    outcome = result
                    await engine.stop()
                    group.addTask {
                        // Cancelled is waited enough.
                        try? await self.options.clock.sleep(for: self.options.stopPatience)
                        return .patienceOver
                    }
                case .engineEnded, .patienceOver: break parts
                }
            }
            group.cancelAll()
            return outcome
        }
    }

    private func serveUntilStopped(
        _ router: Router<DurableMCPHandler>, _ endsByItself: Bool, _ serve: @escaping Serving
    ) async throws {
        guard !endsByItself else { return try await serve(router) }
        let stopping = stopping
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await serve(router) }
            group.addTask { await stopping.wait() }
            try await group.next()
            group.cancelAll()
        }
    }

    private var description: ServerDescription {
        ServerDescription(
            implementation: Implementation(
                name: "durable-mcp", version: options.version, title: "Durable MCP"),
            instructions: Self.instructions)
    }

    private static let instructions = """
        Every call through this server is journaled before and after it happens, so that nothing \
        is lost in a crash and no side effect is repeated by accident. Tools named \
        '<server>__<tool>' belong to the servers behind it; call them directly, or several in \
        order with start_run. Where a call answers that it waits for an approval, tell the person \
        what waits and how to approve it, and do not try another way; get_run_status tells later \
        how it went. Where an outcome is unknown, do not repeat the call.
        """
}
