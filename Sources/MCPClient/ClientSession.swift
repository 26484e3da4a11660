internal import MCPProtocol
internal import OrderedJSON
internal import Synchronization

/// One connection to one server: requests out, answers back to whoever asked.
///
/// Messages are parsed on the transport's thread, off the cooperative pool, and a server that
/// writes faster than they are parsed waits.
final class ClientSession: ClientTransportEvents {
    /// A request that was handed over.
    struct Request {
        let number: UInt64
        let answer: OneShot<Reply>
    }

    let configuration: UpstreamConfiguration
    let transport: any ClientTransport
    /// When the session was opened, and when it ended.
    let openedAt: Duration
    private let time: ClientTime
    private let endedAtMoment = OneShot<Duration>()
    private let state = Mutex(SessionStateMachine())
    private let onToolsChanged: @Sendable () -> Void

    init(
        _ configuration: UpstreamConfiguration, transport: any ClientTransport, time: ClientTime,
        onToolsChanged: @escaping @Sendable () -> Void
    ) {
        self.configuration = configuration
        self.transport = transport
        self.time = time
        self.onToolsChanged = onToolsChanged
        openedAt = time.now()
        transport.open(self)
    }

    /// When the connection ended; nil while it lives.
    var endedAt: Duration? { endedAtMoment.current }

    /// How the connection ended; nil while it lives.
    var end: TransportEnd? { state.withLock(\.end) }

    /// Says that the server is of the modern era.
    func becomeModern() { state.withLock { $0.isModern = true } }

    /// Hands over a request.
    func begin(
        _ method: String, _ params: JSONObject?, name: String? = nil,
        onProgress: (@Sendable (UpstreamProgress) -> Void)? = nil
    ) -> Request {
        let answer = OneShot<Reply>()
        let pending = SessionStateMachine.Pending(answer: answer, onProgress: onProgress)
        let (number, end) = state.withLock { state in
            (state.begin(pending, limit: configuration.maximumInFlight), state.end)
        }
        guard let number else {
            answer.fulfil(end.map { .lost($0, wasSent: false) } ?? .overloaded)
            return Request(number: 0, answer: answer)
        }
        var params = params
        if onProgress != nil {
            var meta = params?["_meta"]?.objectValue ?? [:]
            meta[MetaKey.progressToken] = .number(JSONNumber(number))
            params = params ?? [:]
            params?["_meta"] = .object(meta)
        }
        let message = JSONRPCMessage.request(
            JSONRPCRequest(id: .integer(Int(number)), method: method, params: params))
        if !send(message, number: number, method: method, name: name),
            state.withLock({ $0.remove(number) }) != nil
        {
            answer.fulfil(self.end.map { .lost($0, wasSent: false) } ?? .overloaded)
        }
        return Request(number: number, answer: answer)
    }

    /// Hands over a notification; one that cannot be sent is dropped.
    func notify(_ method: String, _ params: JSONObject? = nil) {
        let number = state.withLock { $0.nextNumber() }
        let message = JSONRPCNotification(method: method, params: params)
        _ = send(.notification(message), number: number, method: method)
    }

    /// Hands over a request and waits for its answer, no longer than `timeout`.
    ///
    /// When it gives up, or the calling task is cancelled, it tells the server; an answer that
    /// comes within the grace after a cancellation is still taken.
    func request(
        _ method: String, _ params: JSONObject?, name: String? = nil, timeout: Duration,
        onProgress: (@Sendable (UpstreamProgress) -> Void)? = nil
    ) async -> Reply {
        let request = begin(method, params, name: name, onProgress: onProgress)
        if let reply = await request.answer.value(within: timeout, of: time) { return reply }
        let isCancelled = Task.isCancelled
        let wasSent = !transport.withdraw(request.number)
        if wasSent {
            cancel(request, reason: isCancelled ? "The caller gave up." : "It took too long.")
            if isCancelled { await awaitLateAnswer(to: request) }
        }
        guard state.withLock({ $0.remove(request.number) }) != nil else {
            return request.answer.current ?? .cancelled(wasSent: wasSent)
        }
        return isCancelled ? .cancelled(wasSent: wasSent) : .timedOut(wasSent: wasSent)
    }

    private func cancel(_ request: Request, reason: String) {
        notify(
            Method.cancelled,
            ["requestId": .number(JSONNumber(request.number)), "reason": .string(reason)])
    }

    /// Waits on behalf of a task that is cancelled, and so cannot wait itself.
    private func awaitLateAnswer(to request: Request) async {
        let (grace, time) = (configuration.cancellationGrace, time)
        await Task { _ = await request.answer.value(within: grace, of: time) }.value
    }

    private func send(
        _ message: JSONRPCMessage, number: UInt64, method: String?, name: String? = nil
    ) -> Bool {
        transport.send(
            OutgoingMessage(
                number: number, method: method, name: name, bytes: message.json.serialized()))
    }
}

extension ClientSession {
    func received(_ message: [UInt8]) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: message)
        } catch {
            return note("It wrote a line that is no JSON: \(error)")
        }
        // Only revision 2025-03-26 knows batches; reading them harms nobody else.
        for one in value.arrayValue ?? [value] { receivedOne(one, bytes: message.count) }
    }

    func receivedTooMuch(head: [UInt8], limitBytes: Int) {
        guard let id = MessageHead.id(in: head) else {
            note("It wrote a message of more than \(limitBytes) bytes whose id was not found.")
            return
        }
        perform(state.withLock { $0.receivedTooMuch(id: id, limitBytes: limitBytes) })
    }

    func ended(_ end: TransportEnd) {
        endedAtMoment.fulfil(time.now())
        for (answer, reply) in state.withLock({ $0.ended(end) }) { answer.fulfil(reply) }
    }

    private func receivedOne(_ value: JSONValue, bytes: Int) {
        do throws(MalformedMessage) {
            let message = try JSONRPCMessage(json: value)
            perform(state.withLock { $0.received(message, bytes: bytes) })
        } catch {
            let id = error.id ?? value["id"].flatMap(RequestID.init)
            // A malformed request of the server's has an id of its own, which is none of ours.
            let answered = value["method"] == nil ? id : nil
            perform(state.withLock { $0.receivedMalformed(id: answered, error.message) })
        }
    }

    private func perform(_ action: SessionStateMachine.Action) {
        switch action {
        case .answer(let answer, let reply): answer.fulfil(reply)
        case .progress(let onProgress, let progress): onProgress(progress)
        case .respond(let message):
            let number = state.withLock { $0.nextNumber() }
            _ = send(message, number: number, method: nil)
        case .toolsChanged: onToolsChanged()
        case .note(let text): note(text)
        case .ignore: break
        }
    }

    private func note(_ text: String) {
        configuration.log(
            UpstreamLogLine(
                upstream: configuration.name, source: .client, text: configuration.scrub(text)))
    }
}
