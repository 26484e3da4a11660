import MCPProtocol
import MCPServer
import OrderedJSON
import Synchronization

/// A few tools that show what a handler was given, and can be held up.
final class DemoHandler: MCPHandler {
    /// What the tool `wait` went through, for tests to await.
    let events = AsyncStream<String>.makeStream()
    /// What the tool `leak` kept of its last call.
    let leaked = Mutex<ProgressSink?>(nil)
    /// What lets the tool `wait` end.
    let gate = AsyncStream<Void>.makeStream()

    static let tools: [ToolDefinition] = [
        ToolDefinition(
            name: "echo", title: "Echo", description: "Gives back its arguments.",
            inputSchema: ["type": "object"], outputSchema: ["type": "object"],
            annotations: ToolAnnotations(
                readOnly: true, destructive: false, idempotent: true, openWorld: false)),
        ToolDefinition(
            name: "whoami", description: "Tells what is known about the caller.",
            inputSchema: ["type": "object", "additionalProperties": false],
            icons: [["src": "data:image/png;base64,AA=="]]),
        ToolDefinition(
            name: "numbers", description: "Gives a list.", inputSchema: ["type": "object"],
            outputSchema: ["type": "array"]),
        ToolDefinition(name: "wait", inputSchema: ["type": "object"]),
    ]

    func listTools(
        cursor: String?, context: RequestContext<String>
    ) async throws -> ListToolsResult {
        let caching = Caching(timeToLive: .seconds(60), scope: .private)
        switch cursor {
        case nil:
            return ListToolsResult(
                tools: Array(Self.tools.prefix(2)), nextCursor: "", caching: caching)
        case "":
            return ListToolsResult(tools: Array(Self.tools.dropFirst(2)), caching: caching)
        default: throw RPCError.invalidCursor()
        }
    }

    func callTool(
        name: String, arguments: JSONObject, context: RequestContext<String>
    ) async throws -> CallToolResult {
        switch name {
        case "echo":
            return CallToolResult(
                content: [CallToolResult.text(JSONValue.object(arguments).text)],
                structuredContent: .object(arguments),
                meta: [MetaKey.run: ["runId": "run_1"], MetaKey.serverInfo: ["name": "upstream"]])
        case "whoami": return whoAmI(context)
        case "numbers":
            return CallToolResult(text: "[1,2]", structuredContent: [1, 2])
        case "fail":
            return CallToolResult(text: "It did not work. Try again later.", isError: true)
        case "crash": throw Failure(secret: "the password is swordfish")
        case "progress":
            context.progress.report(0.2, total: 1, message: "begun")
            context.progress.report(0.1)
            context.progress.report(0.6, total: 1)
            return CallToolResult(text: "done")
        case "leak":
            leaked.withLock { $0 = context.progress }
            return CallToolResult(text: "kept")
        case "wait": return try await wait(context, isStubborn: arguments["stubborn"] != nil)
        default: throw RPCError.unknownTool(name)
        }
    }

    private struct Failure: Error { let secret: String }

    private func whoAmI(_ context: RequestContext<String>) -> CallToolResult {
        var facts: JSONObject = [
            "identity": .string(context.identity),
            "version": .string(context.protocolVersion.rawValue),
        ]
        facts["client"] = context.clientInfo.map { .string($0.name) }
        facts["requestId"] = context.callerRequestID.map(JSONValue.string)
        facts["elicits"] = .bool(context.clientCapabilities.elicitsForms)
        facts["traceparent"] = context.meta[MetaKey.traceParent]
        return CallToolResult(text: JSONValue.object(facts).text)
    }

    /// Waits for the gate or for cancellation, and says in ``events`` which it was.
    private func wait(
        _ context: RequestContext<String>, isStubborn: Bool
    ) async throws -> CallToolResult {
        events.continuation.yield("started")
        for await _ in gate.stream {
            events.continuation.yield("released")
            return CallToolResult(text: "released")
        }
        events.continuation.yield("cancelled")
        context.progress.report(99, message: "too late")
        if !isStubborn { try Task.checkCancellation() }
        return CallToolResult(text: "gate closed")
    }
}

extension AsyncStream where Element: Sendable {
    /// The next element, for a test that awaits one.
    func next() async -> Element? {
        var iterator = makeAsyncIterator()
        return await iterator.next()
    }
}
