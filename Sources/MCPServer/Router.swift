import MCPProtocol
import OrderedJSON

/// Takes the requests of every era and transport to one handler, and its answers back.
///
/// It keeps nothing between requests: what a legacy client agreed to is kept by its transport.
public struct Router<Handler: MCPHandler>: Sendable {
    /// The tools.
    public let handler: Handler
    /// What the server says about itself.
    public let description: ServerDescription
    /// How often a client is told that a long call still runs.
    public let keepAliveInterval: Duration
    let clock: any Clock<Duration>
    let log: @Sendable (String) -> Void

    /// A router to a handler.
    ///
    /// Keep the interval well below 15 seconds, after which clients begin to give up. `log` takes
    /// a line about each failure whose text is kept from the client.
    public init(
        handler: Handler, description: ServerDescription,
        keepAliveInterval: Duration = .seconds(10),
        clock: any Clock<Duration> = ContinuousClock(),
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.handler = handler
        self.description = description
        self.keepAliveInterval = keepAliveInterval
        self.clock = clock
        self.log = log
    }
}

/// What is to be done about a request.
enum Route: Sendable {
    /// Nothing more: this is its result.
    case answered(JSONObject)
    /// The handler is to be asked.
    case tools(Admission.ToolRequest)
}

/// What became of a request.
enum Outcome: Sendable {
    /// It is answered with a result.
    case result(JSONObject)
    /// It is answered with an error, over HTTP under this status.
    case failure(RPCError, status: Int)
    /// Nobody waits for it any more, and nothing is sent.
    case cancelled

    init(_ refusal: Refusal) { self = .failure(refusal.error, status: refusal.status) }
}

extension Router {
    /// Answers what needs no handler, and names what does.
    func route(_ admission: Admission) -> Route {
        let shape = ResultShape(
            version: admission.version, server: description.implementation)
        switch admission.call {
        case .discover:
            let discovery = DiscoverResult(
                supportedVersions: ServerDescription.modernVersions.map(\.rawValue),
                capabilities: description.capabilities,
                instructions: description.instructions, serverInfo: nil,
                caching: description.discoveryCaching)
            return .answered(shape.result(discovery.json))
        case .initialize(let terms):
            let greeting = InitializeResult(
                protocolVersion: terms.version.rawValue, capabilities: description.capabilities,
                serverInfo: shape.serverInfo, instructions: description.instructions)
            return .answered(greeting.json)
        case .ping: return .answered(shape.result([:]))
        case .tools(let request): return .tools(request)
        }
    }

    /// Answers a request about tools.
    ///
    /// The task's cancellation reaches the handler; progress stops when this returns.
    func answer(
        _ request: Admission.ToolRequest, admission: Admission, identity: Handler.Identity,
        transport: TransportKind, sink: ProgressSink, keepAlive: (@Sendable () -> Void)? = nil
    ) async -> Outcome {
        let context = RequestContext(
            identity: identity, transport: transport, protocolVersion: admission.version,
            clientInfo: admission.clientInfo, clientCapabilities: admission.clientCapabilities,
            meta: admission.meta.json, callerRequestID: admission.callerRequestID,
            progress: sink)
        let outcome = await keepingAlive(sink, keepAlive) { await call(request, context) }
        sink.finish()
        return outcome
    }

    private func call(
        _ request: Admission.ToolRequest, _ context: RequestContext<Handler.Identity>
    ) async -> Outcome {
        let shape = ResultShape(
            version: context.protocolVersion, server: description.implementation)
        do {
            switch request {
            case .list(let cursor):
                let page = try await handler.listTools(cursor: cursor, context: context)
                return .result(shape.toolList(page))
            case .call(let name, let arguments):
                let result = try await handler.callTool(
                    name: name, arguments: arguments, context: context)
                return .result(shape.toolResult(result))
            }
        } catch let error as RPCError {
            return .failure(
                error, status: context.era == .modern ? error.kind.modernStatus : 200)
        } catch is CancellationError where Task.isCancelled {
            return .cancelled
        } catch {
            log("A handler failed: \(error)")
            return .failure(
                .internalError("the server could not answer; its log says why."), status: 200)
        }
    }

    /// Runs `work`, and tells the client from time to time that it still runs.
    ///
    /// Where the client asked for no progress, `keepAlive` shows a sign of life if there is one.
    private func keepingAlive(
        _ sink: ProgressSink, _ keepAlive: (@Sendable () -> Void)?, _ work: () async -> Outcome
    ) async -> Outcome {
        guard sink.isWanted || keepAlive != nil else { return await work() }
        return await withTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    while true {
                        try await clock.sleep(for: keepAliveInterval)
                        if sink.isWanted { sink.keepAlive() } else { keepAlive?() }
                    }
                } catch {
                    // Cancelled: the work is done.
                }
            }
            let outcome = await work()
            group.cancelAll()
            return outcome
        }
    }
}
