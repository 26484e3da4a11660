internal import DurableLog
internal import DurableLogSQLite
internal import LinuxPlatform
internal import MCPClient
internal import OrderedJSON

/// How long a conversation stands still when its process is killed and another one is there.
struct Takeover {
    let bench: Workbench

    /// The median, in milliseconds, from the last event of the killed process, right after which
    /// it is killed, to the first one under a higher epoch.
    func measure(_ count: Int) async throws -> Figure {
        var times: [Double] = []
        for index in 0..<count { times.append(try await once("takeover-\(index).sqlite")) }
        return Figure(name: "takeover", value: median(times), unit: "ms", limit: 1000)
    }

    private func once(_ store: String) async throws -> Double {
        let tool = EchoServer.all[1].proxiedTool
        let survivor = try bench.server(onStore: store)
        _ = try await survivor.listTools()
        let victim = try bench.server(onStore: store, ["--failpoint", "after-intent:\(tool)"])
        guard case .unknown = await victim.callTool(UpstreamCall(tool: tool, arguments: [:]))
        else { throw BenchmarkError(message: "The server was to be killed.") }
        let time = try await standstill(in: store)
        await victim.close()
        await survivor.close()
        return time
    }

    private func standstill(in store: String) async throws -> Double {
        let log = try await SQLiteEventStore.open(
            path: bench.file(store), tables: [], processID: ProcessID(rawValue: "prc_watcher"))
        var last: Int64 = 0
        var events: [StoredEvent] = []
        while true {
            let page = try await log.events(after: last, limit: 100)
            last = page.last?.position ?? last
            events += page
            if let first = events.first(where: { $0.epoch > 1 }),
                let before = events.last(where: { $0.epoch == 1 })
            {
                await log.close()
                return Double(first.event.time - before.event.time)
            }
            try await ContinuousClock().sleep(for: .milliseconds(5))
        }
    }
}
