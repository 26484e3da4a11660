internal import LinuxPlatform
internal import MCPClient
internal import MCPProtocol
internal import OrderedJSON

/// A server of the demo: this program itself, started as an MCP client starts it.
struct DemoServer {
    private let client: UpstreamClient

    /// Starts a server; with a failpoint, one that will be killed there.
    init(_ files: DemoFiles, killedAt failpoint: String? = nil) {
        var arguments = [
            "serve", "--stdio", "--config", files.config, "--store", files.storeURL,
        ]
        if let failpoint { arguments += ["--failpoint", failpoint] }
        client = UpstreamClient(
            UpstreamConfiguration(
                name: "durable-mcp",
                clientInfo: Implementation(name: "demo", version: ProductVersion.text)),
            running: StdioServerCommand(
                command: ChildCommand.ownExecutable, arguments: arguments))
    }

    /// What became of a call.
    enum Answer {
        /// The server gave a result.
        case result(CallToolResult)
        /// The server said no, for this reason.
        case refused(String)
        /// The server was killed before it answered.
        case killed
    }

    /// Calls a tool.
    func call(_ tool: String, _ arguments: JSONObject, requestID: String? = nil) async -> Answer {
        var call = UpstreamCall(tool: tool, arguments: arguments)
        call.meta[MetaKey.requestID] = requestID.map { .string($0) }
        switch await client.callTool(call) {
        case .result(let result): return .result(result)
        case .before(let error): return .refused(error.message)
        case .unknown: return .killed
        }
    }

    /// Starts a script, or finds the run that the same request has started, and waits until it
    /// ends or stands still; nil where the server was killed meanwhile.
    func run(_ steps: JSONValue, requestID: String) async throws(CommandFailure) -> JSONObject? {
        let arguments: JSONObject = [
            "script": ["steps": steps], "requestId": .string(requestID), "waitSeconds": 30,
        ]
        return try view(await call("start_run", arguments))
    }

    /// Waits until a run ends or stands still.
    func wait(for run: String) async throws(CommandFailure) -> JSONObject? {
        while true {
            let arguments: JSONObject = ["runId": .string(run), "waitSeconds": 5]
            guard let view = try view(await call("get_run_status", arguments)) else { return nil }
            switch view["status"]?.stringValue {
            case "queued", "running": continue
            default: return view
            }
        }
    }

    private func view(_ answer: Answer) throws(CommandFailure) -> JSONObject? {
        switch answer {
        case .killed: return nil
        case .refused(let reason): throw CommandFailure("The demo was refused: \(reason)")
        case .result(let result):
            guard let view = result.structuredContent?.objectValue else {
                throw CommandFailure("The demo's run is gone.")
            }
            return view
        }
    }

    /// Ends the server, as a client does that is closed.
    func stop() async { await client.close() }
}
