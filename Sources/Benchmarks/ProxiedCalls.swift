internal import DurableLog
internal import LinuxPlatform
internal import MCPClient
internal import MCPProtocol
internal import OrderedJSON

/// What a call through us adds to the same call made directly, at one caller.
struct ProxiedCalls {
    let bench: Workbench

    /// One kind of call, to a tool that does nothing, so that only the way there is measured.
    struct Kind {
        /// The effect kind, and the name of the server that has it.
        var name: String
        /// How many commits it may cost.
        var commits: Double
    }

    static let kinds = [Kind(name: "pure", commits: 1), Kind(name: "external", commits: 2)]
    private static let tool = "echo"

    private func client(_ name: String, _ command: StdioServerCommand) -> UpstreamClient {
        UpstreamClient(
            UpstreamConfiguration(
                name: name, clientInfo: Implementation(name: "benchmarks", version: "1")),
            running: command)
    }

    /// The configuration of a server that has the fixture behind it once for each kind.
    private func writeConfiguration() throws -> String {
        let servers = Self.kinds.map { kind -> (String, JSONValue) in
            let policy: JSONValue = ["effect": .string(kind.name), "approval": false]
            return (
                kind.name,
                [
                    "command": .string(bench.program("mcp-fixture")),
                    "durable": ["tools": .object([Self.tool: policy])],
                ]
            )
        }
        let config: JSONValue = ["mcpServers": .object(JSONObject(servers))]
        let path = bench.file("config.json")
        let file = try AppendFile(path: path)
        try file.append(config.serialized(pretty: true))
        return path
    }

    /// The figures of every kind; `commit` is the cost of one commit in the same run.
    func measure(_ count: Int, commit: Double) async throws -> [Figure] {
        var direct = StdioServerCommand(command: bench.program("mcp-fixture"))
        direct.guardPath = bench.program("durable-mcp")
        let config = try writeConfiguration()
        var proxied = StdioServerCommand(
            command: bench.program("durable-mcp"),
            arguments: [
                "serve", "--stdio", "--config", config, "--store",
                "sqlite:" + bench.file("store.sqlite"),
            ])
        proxied.guardPath = bench.program("durable-mcp")
        let (one, two) = (client("direct", direct), client("durable", proxied))
        var figures: [Figure] = []
        for kind in Self.kinds {
            // Interleaved, so that both see the same machine.
            var (directTimes, proxiedTimes): ([Double], [Double]) = ([], [])
            for _ in 0..<5 {
                directTimes.append(try await time(Self.tool, one, count / 5))
                proxiedTimes.append(
                    try await time("\(kind.name)__\(Self.tool)", two, count / 5))
            }
            let added = median(proxiedTimes) - median(directTimes)
            figures += [
                Figure(name: "call.\(kind.name).direct", value: median(directTimes), unit: "µs"),
                Figure(name: "call.\(kind.name).durable", value: median(proxiedTimes), unit: "µs"),
                Figure(
                    name: "call.\(kind.name).added", value: added, unit: "µs",
                    limit: kind.commits * commit + 300),
            ]
        }
        await one.close()
        await two.close()
        return figures
    }

    private func time(
        _ tool: String, _ client: UpstreamClient, _ count: Int
    ) async throws -> Double {
        try await Stopwatch.median(count) { index in
            let call = UpstreamCall(tool: tool, arguments: ["n": .number(JSONNumber(index))])
            guard case .result(let result) = await client.callTool(call), !result.isError else {
                throw BenchmarkError(message: "A call of '\(tool)' failed.")
            }
        }
    }
}

/// Why there are no figures.
struct BenchmarkError: Error, CustomStringConvertible {
    var message: String
    var description: String { message }
}
