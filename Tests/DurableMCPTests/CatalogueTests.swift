import DurableEngine
import DurableLog
import DurableSecurity
import DurableTesting
import MCPProtocol
import OrderedJSON
import Synchronization
import Testing

@testable import DurableMCP

@Suite("The catalogue", .timeLimit(.minutes(1)))
struct CatalogueTests {
    private static let trusting = #"{"trustAnnotations": true}"#

    private static func store(_ meeting: Meeting) -> CatalogueStore {
        CatalogueStore(
            store: MemoryEventStore(
                backing: meeting.backing, processID: ProcessID(rawValue: "prc_command")))
    }

    /// What the fixture lists.
    private static func listed() async throws -> [ToolDefinition] {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config())
        return try await meeting.running(server) { client in
            _ = try await client.names()
            return try await Self.store(meeting).entries(of: "fix").map(\.pinned.definition)
        }
    }

    @Test("a list is answered while the servers are down, and is the same")
    func listsWhileDown() async throws {
        let meeting = Meeting()
        let first = try await meeting.server(meeting.config())
        let names = try await meeting.running(first) { try await $0.names() }
        #expect(names.contains("fix__lookup"))
        // This one would wait for its server for ever.
        let second = try await meeting.server(
            meeting.config(["--slow-start", "3600000"]), clock: ManualClock())
        // No clock moves, so nothing was waited for.
        let client = Client(handler: second.handler)
        #expect(try await client.names() == names)
    }

    @Test("a server that was never seen is awaited")
    func awaitsFirstSight() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(
            meeting.config(["--slow-start", "300"], durable: Self.trusting))
        try await meeting.running(server) { client in
            let result = try await client.call("fix__lookup", ["thing": "grass"])
            #expect(!result.isError)
            #expect(try await client.names().contains("fix__lookup"))
        }
    }

    @Test("a server that does not come is awaited for 20 seconds, and not again")
    func awaitsNotForEver() async throws {
        let meeting = Meeting()
        let clock = ManualClock()
        let server = try await meeting.server(
            meeting.config(["--slow-start", "3600000"]), clock: clock)
        let client = Client(handler: server.handler)
        let start = clock.now()
        let list = try await clock.running(by: .seconds(1)) { try await client.list() }
        #expect((20_000...25_000).contains(clock.now() - start))
        #expect(!list.tools.map(\.name).contains("fix__lookup"))
        #expect(list.caching.timeToLive < .seconds(10))
        #expect(list.caching.scope == .private)
        await server.catalogue.close()
    }

    @Test("a server that cannot start is not awaited to the end, and is named in the log")
    func cannotStart() async throws {
        let meeting = Meeting()
        let server = try await meeting.server(meeting.config(["--fail-start"]))
        try await meeting.running(server) { client in
            #expect(try await client.names().contains("start_run"))
            let result = try await client.call("fix__lookup", ["thing": "x"])
            #expect(result.isError)
            #expect(result.text.contains("mcp-fixture: cannot start"))
        }
        #expect(meeting.log.withLock { $0.contains { $0.contains("Upstream 'fix'") } })
    }

    @Test("a definition that has changed is withheld until somebody accepts it")
    func withholds() async throws {
        let meeting = Meeting()
        var tools = try await Self.listed()
        let index = try #require(tools.firstIndex { $0.name == "lookup" })
        tools[index].description = "What it said when it was first seen."
        let store = Self.store(meeting)
        _ = try await store.record(tools, of: "fix", now: 1)

        let server = try await meeting.server(meeting.config(durable: Self.trusting))
        try await meeting.running(server) { client in
            // Before the server is listed the tool looks as it did; calling it finds out.
            let result = try await client.call("fix__lookup", ["thing": "grass"])
            #expect(result.isError)
            #expect(result.text.contains("durable-mcp upstream accept fix"))
            #expect(try !(await client.names()).contains("fix__lookup"))
            #expect(try await client.names().contains("fix__send"))

            let changes = try await store.changes()
            #expect(changes.map(\.name) == ["fix__lookup"])
            #expect(changes.first?.pinned.contains("first seen") == true)

            // Another process accepts it, and this one goes on.
            #expect(try await store.accept(upstream: "fix", now: 2) == ["fix__lookup"])
            #expect(try await store.changes() == [])
            let again = try await client.call("fix__lookup", ["thing": "grass"])
            #expect(!again.isError)
            #expect(try await client.names().contains("fix__lookup"))
        }
        #expect(try meeting.count("started", "lookup") == 1)
        #expect(meeting.log.withLock { $0.contains { $0.contains("'fix__lookup' is withheld") } })
    }

    @Test("a changed definition voids an approval that waits")
    func voidsApprovals() async throws {
        let meeting = Meeting()
        let first = try await meeting.server(meeting.config())
        let waiting = try await meeting.running(first) { client in
            try await client.call("fix__send", ["to": "a", "text": "b"])
        }
        let approval = try #require(waiting.run?["approvalId"])
        let store = Self.store(meeting)
        var tools = try await store.entries(of: "fix").map(\.pinned.definition)
        let index = try #require(tools.firstIndex { $0.name == "send" })
        tools[index].description = "Something else."
        _ = try await store.record(tools, of: "fix", now: 1)
        _ = try await store.accept(upstream: "fix", now: 1)

        let second = try await meeting.server(meeting.config())
        try await meeting.running(second) { client in
            let claims: JSONObject = [
                "approvalId": approval, "approverId": "carol", "authLevel": "session",
            ]
            _ = try await client.acting(as: Meeting.carol).ask("approve", claims)
            let run = try await client.ask(
                "get_run_status",
                ["runId": waiting.run?["runId"] ?? .null, "waitSeconds": 20])
            // It is asked about again under another approval, or withheld by now.
            #expect(run["status"] == "waiting" || run["status"] == "running")
            #expect(run["waitingOn"]?["approvalId"] != approval)
        }
        #expect(try meeting.count("started", "send") == 0)
    }

    @Test("a run that needs a withheld tool says what it waits for")
    func saysWhatIsMissing() async throws {
        let meeting = Meeting()
        let clock = ManualClock()
        let server = try await meeting.server(
            meeting.config(durable: Self.trusting), clock: clock)
        try await meeting.running(server) { client in
            try await clock.running(by: .milliseconds(500)) {
                let script: JSONValue = [
                    "steps": [
                        ["approval": "Go on?"],
                        [
                            "tool": "fix__lookup",
                            "arguments": [
                                "thing": "grass"
                            ],
                        ],
                    ]
                ]
                let started = try await client.ask(
                    "start_run", ["script": script, "waitSeconds": 20])
                let store = Self.store(meeting)
                var tools = try await store.entries(of: "fix").map(\.pinned.definition)
                let index = try #require(tools.firstIndex { $0.name == "lookup" })
                tools[index].description = "Something else."
                _ = try await store.record(tools, of: "fix", now: 1)
                try await server.catalogue.load()
                _ = try await client.acting(as: Meeting.carol).ask(
                    "approve",
                    [
                        "approvalId": started["waitingOn"]?["approvalId"] ?? .null,
                        "approverId": "carol", "authLevel": "session",
                    ])
                var run: JSONValue = .null
                while run["waitingOn"]?["kind"] != "tool" {
                    run = try await client.ask(
                        "get_run_status", ["runId": started["runId"] ?? .null])
                    await Task.yield()
                }
                #expect(run["waitingOn"]?["tool"] == "fix__lookup")
                #expect(run["hint"]?.stringValue?.contains("upstream accept fix") == true)
                _ = try await store.accept(upstream: "fix", now: 2)
                _ = try await store.record(
                    try await Self.listed(), of: "fix", now: 3)
                _ = try await store.accept(upstream: "fix", now: 4)
                let ended = try await client.ask(
                    "get_run_status", ["runId": started["runId"] ?? .null, "waitSeconds": 50])
                #expect(ended["status"] == "completed")
            }
        }
    }

    @Test("a new tool of a known server is added, and one that is gone is not listed")
    func newAndGone() async throws {
        let meeting = Meeting()
        var tools = try await Self.listed().filter { $0.name != "echo" }
        var gone = try #require(tools.first { $0.name == "lookup" })
        gone.name = "bygone"
        tools.append(gone)
        let store = Self.store(meeting)
        _ = try await store.record(tools, of: "fix", now: 1)
        let server = try await meeting.server(meeting.config(durable: Self.trusting))
        try await meeting.running(server) { client in
            #expect(try await !client.names().contains("fix__echo"))
            _ = try await client.call("fix__lookup", ["thing": "grass"])
            let names = try await client.names()
            #expect(names.contains("fix__echo"))
            #expect(!names.contains("fix__bygone"))
            await #expect(throws: RPCError.self) {
                try await client.call("fix__bygone", ["thing": "x"])
            }
        }
        // If it comes back with another definition, it is not taken for new.
        gone.description = "Something else."
        tools = tools.filter { $0.name != "bygone" } + [gone]
        let update = try await store.record(tools, of: "fix", now: 2)
        #expect(update.withheld == ["fix__bygone"])
    }

    @Test("two processes that list a server at once pin it once")
    func pinsOnce() async throws {
        let meeting = Meeting()
        let tools = try await Self.listed()
        let one = Self.store(meeting)
        let other = CatalogueStore(
            store: MemoryEventStore(
                backing: meeting.backing, processID: ProcessID(rawValue: "prc_other")))
        async let first = one.record(tools, of: "fix", now: 1)
        async let second = other.record(tools.reversed(), of: "fix", now: 1)
        let updates = try await [first, second]
        #expect(updates.map(\.added.count).reduce(0, +) == tools.count)
        #expect(try await one.entries(of: "fix").count == tools.count)
    }

    @Test("a tool of a server that is configured elsewhere is not unknown, only not here")
    func elsewhere() async throws {
        let meeting = Meeting()
        _ = try await Self.store(meeting).record(try await Self.listed(), of: "fix", now: 1)
        let server = try await meeting.server(ServerConfig())
        guard case .unavailable(let reason) = await server.catalogue.tool(named: "fix__send") else {
            Issue.record("A run that needs it would fail here.")
            return
        }
        #expect(reason.contains("'fix'"))
        guard case .absent = await server.catalogue.tool(named: "fix__nothing") else {
            Issue.record("No server has such a tool.")
            return
        }
    }

    @Test("a long list comes in pages, in the same order")
    func pages() async throws {
        let meeting = Meeting()
        let tools = (1...700).map {
            ToolDefinition(name: "tool_\($0)", inputSchema: ["type": "object"])
        }
        _ = try await Self.store(meeting).record(tools, of: "fix", now: 1)
        let server = try await meeting.server(meeting.config())
        let client = Client(handler: server.handler)
        let first = try await client.list()
        #expect(first.tools.count == DurableMCPHandler.pageSize)
        #expect(first.nextCursor != nil)
        let second = try await client.list(first.nextCursor)
        #expect(second.nextCursor == nil)
        let names = (first.tools + second.tools).map(\.name).filter { $0.contains("__") }
        #expect(names == tools.map { "fix__\($0.name)" })
        for cursor in ["", "x", "!"] {
            await #expect(throws: RPCError.self) { try await client.list(cursor) }
        }
    }
}
