internal import DurableEngine
internal import DurableSecurity
internal import MCPClient
internal import MCPProtocol
internal import OrderedJSON

/// What every upstream of a process shares.
struct UpstreamSurroundings: Sendable {
    var secrets: SecretSource
    var clientInfo: Implementation
    var time: ClientTime
    /// An executable that runs as the guard of children; nil for the one running now.
    var guardPath: String?
    var log: @Sendable (String) -> Void
}

/// Why a server behind us could not be asked.
struct UpstreamFailure: Error {
    /// Which server, what was tried, and why it failed; free of known secrets.
    var message: String
    var isRetryable: Bool
    var retryAfter: Duration?
}

extension UpstreamFailure {
    init(_ error: UpstreamError) {
        self.init(
            message: error.description, isRetryable: error.isRetryable,
            retryAfter: error.retryAfter)
    }

    /// The engine's form of it.
    var toolFailure: ToolFailure {
        ToolFailure(message: message, isRetryable: isRetryable, retryAfter: retryAfter)
    }
}

/// One server behind us: it is started when it is first needed, with its secrets resolved then.
actor Upstream {
    /// How long a list counts that was compared with the pinned one.
    private static let listLifetime: Duration = .seconds(60)

    /// What was read from a server.
    struct Listing: Sendable {
        var tools: [ToolDefinition]
        /// Whether it was not handed out before.
        var isNew: Bool
    }

    nonisolated let config: UpstreamConfig
    /// What runs are pinned to.
    nonisolated let identity: ToolFacts.Upstream
    /// A value whenever the server says that its tools have changed; for one consumer.
    nonisolated let changes: AsyncStream<Void>

    private let change: AsyncStream<Void>.Continuation
    private let surroundings: UpstreamSurroundings
    private var client: UpstreamClient?
    private var scrubber = Scrubber()
    private var listedChanges = -1
    private var listedAt = Duration.zero
    private var lastTools: [ToolDefinition] = []
    private var isClosed = false

    init(
        _ config: UpstreamConfig, identity: ToolFacts.Upstream, surroundings: UpstreamSurroundings
    ) {
        self.config = config
        self.identity = identity
        self.surroundings = surroundings
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Its name in the configuration.
    nonisolated var name: String { config.name }

    /// The tools as the server listed them since it was started, or since it said that they
    /// changed.
    ///
    /// A server that is busy may not answer for long, so what only has become old is read again
    /// in the background.
    func list() async throws(UpstreamFailure) -> Listing {
        guard try await changesOfConnected() == listedChanges else {
            return Listing(tools: try await refreshedList(), isNew: true)
        }
        if surroundings.time.now() - listedAt >= Self.listLifetime {
            listedAt = surroundings.time.now()
            change.yield()
        }
        return Listing(tools: lastTools, isNew: false)
    }

    /// The tools as the server lists them now, or as long as it said that they may be kept.
    func refreshedList() async throws(UpstreamFailure) -> [ToolDefinition] {
        // Taken before the list is: a change that comes meanwhile is not lost.
        let changes = try await changesOfConnected()
        let client = try readyClient()
        let tools: [ToolDefinition]
        do {
            tools = try await client.listTools()
        } catch {
            throw UpstreamFailure(error)
        }
        listedChanges = changes
        listedAt = surroundings.time.now()
        lastTools = tools
        return tools
    }

    /// Starts the server if it does not run, and counts how often its tools may have changed.
    private func changesOfConnected() async throws(UpstreamFailure) -> Int {
        let client = try readyClient()
        do {
            // A server that has ended is started again here, and may have other tools then.
            _ = try await client.connect()
        } catch {
            throw UpstreamFailure(error)
        }
        return await client.toolChanges
    }

    /// Calls a tool.
    func call(_ call: UpstreamCall) async throws(UpstreamFailure) -> UpstreamCallOutcome {
        let client = try readyClient()
        return await client.callTool(call)
    }

    /// Takes known secrets out of whatever came from the server.
    func scrub(_ result: CallToolResult) -> CallToolResult {
        guard !scrubber.isEmpty, let object = scrubber.scrub(.object(result.json)).objectValue,
            // Scrubbing keeps the form; where it did not, the texts were scrubbed by the client.
            let scrubbed = try? CallToolResult(json: object)
        else { return result }
        return scrubbed
    }

    /// Ends the server, if it runs; later calls are refused.
    func close() async {
        isClosed = true
        change.finish()
        await client?.close()
    }

    private func readyClient() throws(UpstreamFailure) -> UpstreamClient {
        if let client { return client }
        guard !isClosed else {
            throw UpstreamFailure(
                message: "Upstream '\(name)': this process is stopping.", isRetryable: true)
        }
        guard case .stdio(let program) = config.transport else {
            throw UpstreamFailure(
                message: "Upstream '\(name)' is reached over HTTP, which is not built yet.",
                isRetryable: false)
        }
        let resolved: ResolvedProgram
        do {
            resolved = try program.resolved(from: surroundings.secrets)
        } catch {
            throw UpstreamFailure(
                message: "Upstream '\(name)' cannot be started: \(error.message)",
                isRetryable: false)
        }
        scrubber = resolved.scrubber
        let made = UpstreamClient(
            clientConfiguration(resolved.scrubber), running: command(resolved),
            time: surroundings.time)
        client = made
        return made
    }

    private func clientConfiguration(_ scrubber: Scrubber) -> UpstreamConfiguration {
        var configuration = UpstreamConfiguration(
            name: name, clientInfo: surroundings.clientInfo)
        let (log, change) = (surroundings.log, change)
        configuration.scrub = { scrubber.scrub($0) }
        configuration.log = { line in
            let source = line.source == .standardError ? "" : " (client)"
            log("upstream '\(line.upstream)'\(source): \(line.text)")
        }
        configuration.onToolsChanged = { change.yield() }
        return configuration
    }

    private func command(_ resolved: ResolvedProgram) -> StdioServerCommand {
        StdioServerCommand(
            command: resolved.command, arguments: resolved.arguments,
            environment: resolved.environment, workingDirectory: resolved.workingFolder,
            guardPath: surroundings.guardPath)
    }
}
