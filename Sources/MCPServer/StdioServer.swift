import LinuxPlatform
import MCPProtocol
import OrderedJSON

/// Serves one client over a pair of byte streams, one message a line.
///
/// Both eras are served at once: what `initialize` agreed to holds for the requests without
/// modern metadata, and touches no others. Requests run concurrently, and answers are written in
/// the order they are ready.
///
/// Source: 2026-07-28 stdio; 2025-11-25 transports, "stdio".
public struct StdioServer<Handler: MCPHandler>: Sendable {
    /// How much is taken from a client.
    public struct Limits: Sendable {
        /// How many bytes a message may have.
        public var messageBytes = 4 << 20
        /// How many requests may be in flight.
        public var requestsInFlight = 256
        /// How long requests may go on, once the input has ended, before they are cancelled.
        public var endGrace = Duration.seconds(1)

        /// The usual limits.
        public init() {}
    }

    let router: Router<Handler>
    let identity: Handler.Identity
    let limits: Limits
    let onInputClosed: @Sendable () async -> Void

    /// A server for one client, which is whoever started this process.
    ///
    /// `onInputClosed` is called once, as soon as the client has gone, while requests may still
    /// be in flight.
    public init(
        router: Router<Handler>, identity: Handler.Identity, limits: Limits = Limits(),
        onInputClosed: @escaping @Sendable () async -> Void = {}
    ) {
        self.router = router
        self.identity = identity
        self.limits = limits
        self.onInputClosed = onInputClosed
    }

    /// Serves standard input and output until the input ends.
    ///
    /// Standard output belongs to the client from now on: what else is printed goes to standard
    /// error. Returns when all requests have
    /// ended: those in flight at the end of the input have a moment, then they are cancelled.
    ///
    /// - Throws: An error of the operating system where it gives no threads.
    public func run() async throws {
        // Whatever else is printed must not stand between the messages: it goes to standard error.
        let standardOutput = try StandardOutput.claim()
        let input = try DescriptorReader(0, threadName: "mcp-stdin")
        let output = try DescriptorWriter(standardOutput, threadName: "mcp-stdout")
        await serve(input, output)
        output.close()
    }
}

/// Where a stdio server writes; each message stays whole.
package protocol MessageOutput: Sendable {
    /// Writes bytes after all that came before; false if nobody reads any more.
    func write(_ bytes: [UInt8]) async -> Bool

    /// Writes bytes unless the reader does not keep up.
    func offer(_ bytes: [UInt8])
}

extension DescriptorWriter: MessageOutput {}

extension StdioServer {
    /// Serves until the input ends or nobody reads the output any more.
    package func serve<Input: AsyncSequence>(
        _ input: Input, _ output: some MessageOutput
    ) async where Input.Element == [UInt8], Input.Failure == Never {
        let connection = StdioConnection(server: self, output: output)
        await withDiscardingTaskGroup { group in
            var framer = LineFramer(limitBytes: limits.messageBytes)
            var legacy: LegacyTerms?
            reading: for await chunk in input {
                for line in framer.append(chunk) {
                    guard await connection.take(line, &legacy, &group) else { break reading }
                }
            }
            if let line = framer.finish() {
                _ = await connection.take(.whole(line), &legacy, &group)
            }
            group.addTask { await onInputClosed() }
            await connection.end()
        }
    }
}

/// One client's requests, on their way through a stdio server.
private struct StdioConnection<Handler: MCPHandler, Output: MessageOutput>: Sendable {
    let server: StdioServer<Handler>
    let output: Output
    let table: RequestTable

    init(server: StdioServer<Handler>, output: Output) {
        self.server = server
        self.output = output
        table = RequestTable(limit: server.limits.requestsInFlight)
    }

    /// Deals with one line; false if nobody reads the answers any more.
    func take(
        _ line: LineFramer.Line, _ legacy: inout LegacyTerms?, _ group: inout DiscardingTaskGroup
    ) async -> Bool {
        let message: JSONRPCMessage
        do throws(Undecodable) {
            guard case .whole(let bytes) = line else {
                throw Undecodable(
                    id: nil,
                    error: .messageTooLarge(limitBytes: server.limits.messageBytes))
            }
            message = try MessageCoding.decode(bytes, limitBytes: server.limits.messageBytes)
        } catch {
            return await send(.error(id: error.id, error: error.error))
        }
        switch message {
        case .request(let request): return await take(request, &legacy, &group)
        case .notification(let notification):
            if notification.method == Method.cancelled,
                let id = notification.params?["requestId"].flatMap(RequestID.init)
            {
                table.cancel(id)
            }
            return true
        // This server sends no requests, so an answer can belong to nothing.
        case .result, .error: return true
        }
    }

    private func take(
        _ request: JSONRPCRequest, _ legacy: inout LegacyTerms?,
        _ group: inout DiscardingTaskGroup
    ) async -> Bool {
        let admission: Admission
        do throws(Refusal) {
            admission = try Admission(
                request, from: RequestOrigin(transport: .stdio, legacy: legacy))
        } catch {
            return await send(.error(id: request.id, error: error.error))
        }
        let toolRequest: Admission.ToolRequest
        switch server.router.route(admission) {
        case .answered(let result):
            if case .initialize(let terms) = admission.call { legacy = terms }
            return await send(.result(id: request.id, result: result))
        case .tools(let request): toolRequest = request
        }
        do throws(RequestTable.Refused) {
            try table.admit(request.id)
        } catch {
            return await send(.error(id: request.id, error: refusal(error, request.id)))
        }
        start(toolRequest, admission, id: request.id, in: &group)
        return true
    }

    private func start(
        _ request: Admission.ToolRequest, _ admission: Admission, id: RequestID,
        in group: inout DiscardingTaskGroup
    ) {
        let output = output
        let server = server
        let sink = ProgressSink(token: admission.meta.progressToken) { notification in
            output.offer(MessageCoding.line(.notification(notification)))
        }
        // Not a child task, since a group cannot cancel one of its children; the child below
        // waits for it, and so it ends within the group all the same.
        let work = Task {
            await server.router.answer(
                request, admission: admission, identity: server.identity, transport: .stdio,
                sink: sink)
        }
        let ticket = table.register(id) {
            sink.finish()
            work.cancel()
        }
        group.addTask {
            let outcome = await withTaskCancellationHandler {
                await work.value
            } onCancel: {
                work.cancel()
            }
            if table.settle(id, ticket: ticket) {
                switch outcome {
                case .result(let result): _ = await send(.result(id: id, result: result))
                case .failure(let error, _): _ = await send(.error(id: id, error: error))
                case .cancelled: break
                }
            }
            table.release()
        }
    }

    /// Lets the requests in flight end, and cancels those that take long.
    func end() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await table.drained() }
            group.addTask {
                // Cancelled: all requests have ended before the time was up.
                try? await server.router.clock.sleep(for: server.limits.endGrace)
            }
            await group.next()
            group.cancelAll()
        }
        table.cancelAll()
    }

    private func refusal(_ refused: RequestTable.Refused, _ id: RequestID) -> RPCError {
        switch refused {
        case .duplicate: .invalidRequest("a request with the id \(id) is still in flight.")
        case .full:
            .invalidRequest(
                "\(server.limits.requestsInFlight) requests are in flight; wait for an answer.")
        }
    }

    private func send(_ message: JSONRPCMessage) async -> Bool {
        await output.write(MessageCoding.line(message))
    }
}
