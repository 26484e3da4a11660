internal import MCPProtocol
internal import OrderedJSON

/// The answer to one request, or why there is none.
enum Reply: Sendable {
    /// A result; `bytes` is the size of the message that brought it.
    case result(JSONObject, bytes: Int)
    /// A JSON-RPC error.
    case error(RPCError)
    /// An answer that breaks the protocol.
    case malformed(String)
    /// An answer with more bytes than the connection accepts.
    case tooLarge(limitBytes: Int)
    /// The connection ended first.
    case lost(TransportEnd, wasSent: Bool)
    /// It was never handed over: too much is waiting.
    case overloaded
    /// No answer came in time.
    case timedOut(wasSent: Bool)
    /// The caller gave up.
    case cancelled(wasSent: Bool)
}

/// What a session knows of its requests, without doing anything about it.
struct SessionStateMachine {
    /// A request that waits for its answer.
    struct Pending {
        let answer: OneShot<Reply>
        let onProgress: (@Sendable (UpstreamProgress) -> Void)?
    }

    /// What a message asks of the session.
    enum Action {
        /// Give an answer to whoever waits for it.
        case answer(OneShot<Reply>, Reply)
        /// Tell how far a call has come.
        case progress(@Sendable (UpstreamProgress) -> Void, UpstreamProgress)
        /// Send an answer of our own.
        case respond(JSONRPCMessage)
        /// The list of tools has changed.
        case toolsChanged
        /// Nothing but a line in the log.
        case note(String)
        /// Nothing at all.
        case ignore
    }

    /// Whether the server was found to be of the modern era: it may send no requests then.
    var isModern = false
    private(set) var end: TransportEnd?
    private var lastNumber: UInt64 = 0
    private var pending: [UInt64: Pending] = [:]

    /// A number for the next message.
    mutating func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    /// Enters a request; nil while `limit` others wait already, or after the end.
    mutating func begin(_ request: Pending, limit: Int) -> UInt64? {
        guard end == nil, pending.count < limit else { return nil }
        let number = nextNumber()
        pending[number] = request
        return number
    }

    /// Forgets a request; nil if it was answered already.
    mutating func remove(_ number: UInt64) -> Pending? {
        pending.removeValue(forKey: number)
    }

    /// Takes in a message that was read.
    mutating func received(_ message: JSONRPCMessage, bytes: Int) -> Action {
        switch message {
        case .result(let id, let result): return answer(id, .result(result, bytes: bytes))
        case .error(let id?, let error): return answer(id, .error(error))
        case .error(nil, let error):
            // It could belong to any request, so it may decide none of them.
            return .note("It sent an error without an id: \(error).")
        case .request(let request): return received(request)
        case .notification(let notification): return received(notification)
        }
    }

    /// Takes in a message that could not be read; the request it answers, if any, is lost.
    mutating func receivedMalformed(id: RequestID?, _ problem: String) -> Action {
        guard let id else { return .note("It sent what is no message: \(problem)") }
        return answer(id, .malformed(problem))
    }

    /// Takes in a message that was too large, whose id was found in its beginning.
    mutating func receivedTooMuch(id: RequestID, limitBytes: Int) -> Action {
        answer(id, .tooLarge(limitBytes: limitBytes))
    }

    /// Takes in the end; gives back everyone who waits, with what to tell them.
    mutating func ended(_ end: TransportEnd) -> [(OneShot<Reply>, Reply)] {
        self.end = end
        defer { pending = [:] }
        return pending.map { number, request in
            (request.answer, .lost(end, wasSent: !end.unsent.contains(number)))
        }
    }

    private mutating func answer(_ id: RequestID, _ reply: Reply) -> Action {
        guard case .integer(let integer) = id, let number = UInt64(exactly: integer),
            let request = pending.removeValue(forKey: number)
        else {
            // The answer to a request that was cancelled may come late; that is no fault.
            return .ignore
        }
        return .answer(request.answer, reply)
    }

    private func received(_ request: JSONRPCRequest) -> Action {
        if isModern { return .note("It sent a request, which a modern server may not.") }
        if request.method == Method.ping { return .respond(.result(id: request.id, result: [:])) }
        return .respond(.error(id: request.id, error: .methodNotFound(request.method)))
    }

    private func received(_ notification: JSONRPCNotification) -> Action {
        switch notification.method {
        case Method.toolListChanged: return .toolsChanged
        case Method.progress:
            guard let params = notification.params,
                let number = params["progressToken"]?.intValue.flatMap(UInt64.init(exactly:)),
                let progress = params["progress"]?.numberValue,
                let onProgress = pending[number]?.onProgress
            else { return .ignore }
            return .progress(
                onProgress,
                UpstreamProgress(
                    progress: progress, total: params["total"]?.numberValue,
                    message: params["message"]?.stringValue))
        default: return .ignore
        }
    }
}
