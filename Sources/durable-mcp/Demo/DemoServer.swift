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

    /// Starts a script and gives its run's id.
    func start(_ steps: JSONValue) async throws(CommandFailure) -> String {
        guard case .result(let result) = await call("start_run", ["script": ["steps": steps]]),
            let id = result.structuredContent?["runId"]?.stringValue
        else { throw CommandFailure("The demo's run was not accepted.") }
        return id
    }

    /// Waits for a run to end or to stand still; nil where the server was killed meanwhile.
    func wait(for run: String) async throws(CommandFailure) -> JSONObject? {
        while true {
            let answer = await call("get_run_status", ["runId": .string(run), "waitSeconds": 5])
            if case .killed = answer { return nil }
            guard case .result(let result) = answer,
                let view = result.structuredContent?.objectValue
            else { throw CommandFailure("The demo's run is gone.") }
            switch view["status"]?.stringValue {
            case "queued", "running": continue
            default: return view
            }
        }
    }

    /// Ends the server, as a client does that is closed.
    func stop() async { await client.close() }
}
