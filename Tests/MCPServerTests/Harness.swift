import MCPProtocol
import OrderedJSON
import Synchronization
import Testing

@testable import MCPServer

/// What a stdio server writes, line by line.
struct MemoryOutput: MessageOutput {
    let lines = AsyncStream<[UInt8]>.makeStream()

    func write(_ bytes: [UInt8]) async -> Bool {
        lines.continuation.yield(bytes)
        return true
    }

    func offer(_ bytes: [UInt8]) { lines.continuation.yield(bytes) }
}

/// One client of a stdio server, in memory.
final class StdioClient: Sendable {
    let input = AsyncStream<[UInt8]>.makeStream()
    let output = MemoryOutput()

    func send(_ json: JSONValue) { send(text: json.text) }

    func send(text: String) { send(bytes: Array(text.utf8)) }

    func send(bytes: [UInt8]) { input.continuation.yield(bytes + [UInt8(ascii: "\n")]) }

    /// The next message; nil once the server has ended.
    func receive() async -> JSONValue? {
        guard let line = await output.lines.stream.next() else { return nil }
        do {
            return try JSONValue(parsing: line)
        } catch {
            Issue.record("The server wrote a line that is no JSON: \(error)")
            return nil
        }
    }

    /// Ends the input.
    func close() { input.continuation.finish() }
}

/// A server about which tests know everything.
let demoDescription = ServerDescription(
    implementation: Implementation(
        name: "demo", version: "1.2.3", title: "Demo", description: "For tests."),
    instructions: "Call echo.")

/// Runs `body` as the client of a stdio server, and ends the server with it.
func withStdioServer(
    _ handler: DemoHandler = DemoHandler(), clock: any Clock<Duration> = ManualClock(),
    limits: StdioServer<DemoHandler>.Limits = .init(),
    onInputClosed: @escaping @Sendable () async -> Void = {},
    log: @escaping @Sendable (String) -> Void = { _ in },
    _ body: (StdioClient) async throws -> Void
) async throws {
    let client = StdioClient()
    let router = Router(handler: handler, description: demoDescription, clock: clock, log: log)
    let server = StdioServer(
        router: router, identity: "os:tester", limits: limits, onInputClosed: onInputClosed)
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            await server.serve(client.input.stream, client.output)
            client.output.lines.continuation.finish()
        }
        try await body(client)
        client.close()
        try await group.waitForAll()
    }
}

/// A modern request.
func modern(
    _ id: JSONValue, _ method: String, _ params: JSONObject = [:], meta: JSONObject = [:]
) -> JSONValue {
    var params = params
    params["_meta"] = .object(
        RequestMeta(
            version: .v2026_07_28, clientInfo: Implementation(name: "tester", version: "1"),
            capabilities: ClientCapabilities(), adding: meta
        ).json)
    return [
        "jsonrpc": "2.0", "id": id, "method": .string(method), "params": .object(params),
    ]
}

/// A legacy request.
func legacy(_ id: JSONValue, _ method: String, _ params: JSONObject = [:]) -> JSONValue {
    ["jsonrpc": "2.0", "id": id, "method": .string(method), "params": .object(params)]
}

/// A clock that stands still until a test moves it.
final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration = .zero
        func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
        func duration(to other: Self) -> Duration { other.offset - offset }
        static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
    }

    private struct State {
        var now = Instant()
        var nextKey = 0
        var sleepers: [Int: (deadline: Instant, wake: CheckedContinuation<Void, any Error>)] = [:]
    }

    private let state = Mutex(State())
    /// Yields once for each sleep that begins.
    let sleeps = AsyncStream<Void>.makeStream()

    var now: Instant { state.withLock(\.now) }
    var minimumResolution: Duration { .nanoseconds(1) }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let key = state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                state.withLock { $0.sleepers[key] = (deadline, wake) }
                sleeps.continuation.yield()
                if Task.isCancelled { cancel(key) }
            }
        } onCancel: {
            cancel(key)
        }
    }

    /// Moves the time on, and wakes whoever slept until then.
    func advance(by duration: Duration) {
        let due = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for key in due.keys { state.sleepers[key] = nil }
            return due.values.map(\.wake)
        }
        for wake in due { wake.resume() }
    }

    private func cancel(_ key: Int) {
        state.withLock { $0.sleepers.removeValue(forKey: key) }?.wake
            .resume(throwing: CancellationError())
    }
}

/// The number that is written so.
func number(_ text: String) -> JSONValue {
    Double(text).flatMap { JSONNumber($0) }.map(JSONValue.number) ?? .null
}
