internal import MCPClient
internal import MCPProtocol
internal import OrderedJSON

/// What a call through us adds to the same call made directly, at one caller.
struct ProxiedCalls {
    let bench: Workbench

    /// The figures of every kind; `commit` is the cost of one commit in the same run.
    func measure(_ count: Int, commit: Double) async throws -> [Figure] {
        let direct = bench.client(of: bench.program("mcp-fixture"))
        let durable = try bench.server(onStore: "calls.sqlite")
        var figures: [Figure] = []
        for kind in EchoServer.all {
            // Interleaved, so that both see the same machine.
            var (directTimes, proxiedTimes): ([Double], [Double]) = ([], [])
            for _ in 0..<5 {
                directTimes.append(try await time(EchoServer.tool, direct, count / 5))
                proxiedTimes.append(
                    try await time(kind.proxiedTool, durable, count / 5))
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
        await direct.close()
        await durable.close()
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
