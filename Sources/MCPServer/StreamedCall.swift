import MCPProtocol
import OrderedJSON

/// A call whose progress may be streamed, and whose answer comes alone if it comes at once.
struct StreamedCall: Sendable {
    /// What comes of a call, the answer last.
    enum Event: Sendable {
        case notification(JSONRPCNotification)
        case keepAlive
        case answer(Outcome)
    }

    /// How many events may wait for a slow client; older ones are dropped, the answer never.
    static let eventsAhead = 256

    private let id: RequestID
    private let events: AsyncStream<Event>
    private let work: Task<Void, Never>

    /// Starts a call.
    init<Handler: MCPHandler>(
        router: Router<Handler>, request: Admission.ToolRequest, admission: Admission,
        identity: Handler.Identity, id: RequestID
    ) {
        let (events, continuation) = AsyncStream<Event>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.eventsAhead))
        let sink = ProgressSink(token: admission.meta.progressToken) {
            continuation.yield(.notification($0))
        }
        self.id = id
        self.events = events
        // Not a child task, since whether the answer is a stream is known only while it runs, and
        // a stream is written after the function that started it has returned. `first` and
        // `follow` wait for it, and cancel it with their own task.
        work = Task {
            let outcome = await router.answer(
                request, admission: admission, identity: identity, transport: .http, sink: sink,
                keepAlive: { continuation.yield(.keepAlive) })
            continuation.yield(.answer(outcome))
            continuation.finish()
        }
    }

    /// The first event; the answer itself if the call is cancelled meanwhile.
    func first() async -> Event {
        await withTaskCancellationHandler {
            for await event in events { return event }
            // The stream gives nothing more to a task that is cancelled.
            await work.value
            return .answer(.cancelled)
        } onCancel: {
            work.cancel()
        }
    }

    /// Writes the first event and those that follow, until the answer; throws what `write` throws.
    func follow(
        from first: Event, _ write: ([UInt8]) async throws -> Void
    ) async throws {
        do {
            try await withTaskCancellationHandler {
                try await write(bytes(first))
                if case .answer = first { return }
                for await event in events { try await write(bytes(event)) }
            } onCancel: {
                work.cancel()
            }
        } catch {
            work.cancel()
            await work.value
            throw error
        }
        await work.value
        try Task.checkCancellation()
    }

    private func bytes(_ event: Event) -> [UInt8] {
        let message: JSONRPCMessage
        switch event {
        case .keepAlive: return Array(": still working\n\n".utf8)
        case .notification(let notification): message = .notification(notification)
        case .answer(.result(let result)): message = .result(id: id, result: result)
        case .answer(.failure(let error, _)): message = .error(id: id, error: error)
        case .answer(.cancelled): return []
        }
        return Array("event: message\ndata: ".utf8) + MessageCoding.encode(message)
            + Array("\n\n".utf8)
    }
}
