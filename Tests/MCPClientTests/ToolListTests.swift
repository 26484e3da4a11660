import DurableTesting
import MCPClient
import MCPProtocol
import OrderedJSON
import Synchronization
import Testing

@Suite("List of an upstream's tools", .timeLimit(.minutes(1)))
struct ToolListTests {
    private static func tool(_ name: String) -> JSONValue {
        ["name": .string(name), "inputSchema": ["type": "object"]]
    }

    @Test("all pages are read, and an empty cursor is a cursor")
    func pages() async throws {
        let server = PlayedServer.modern(list: { message, end in
            let page: JSONValue =
                switch message["params"]?["cursor"]?.stringValue {
                case nil: ["tools": [Self.tool("a")], "nextCursor": "", "ttlMs": 1_000]
                case "": ["tools": [Self.tool("b")], "nextCursor": "2", "ttlMs": 1_000]
                default: ["tools": [Self.tool("c")], "ttlMs": 1_000]
                }
            PlayedServer.answering(page)(message, end)
        })
        #expect(try await server.client().listTools().map(\.name) == ["a", "b", "c"])
    }

    @Test("an endless list is refused")
    func endless() async throws {
        let page: JSONValue = ["tools": [Self.tool("a")], "nextCursor": "again"]
        let server = PlayedServer.modern(list: PlayedServer.answering(page))
        let client = server.client { $0.maximumPages = 7 }
        let error = await #expect(throws: UpstreamError.self) { try await client.listTools() }
        #expect(error?.phase == .list)
        #expect(error?.code == .malformed)
        #expect(server.methods.count { $0 == Method.listTools } == 7)
    }

    @Test("a malformed tool does not spoil the others")
    func malformed() async throws {
        let page: JSONValue = ["tools": [Self.tool("a"), ["name": "b"], 1], "ttlMs": 0]
        let server = PlayedServer.modern(list: PlayedServer.answering(page))
        let notes = Mutex<[String]>([])
        let client = server.client { $0.log = { line in notes.withLock { $0.append(line.text) } } }
        #expect(try await client.listTools().map(\.name) == ["a"])
        #expect(notes.withLock(\.self).contains { $0.contains("'b'") })
    }

    @Test("a list is kept as long as its shortest page says")
    func timeToLive() async throws {
        let clock = ManualClock()
        let server = PlayedServer.modern(list: { message, end in
            let page: JSONValue =
                message["params"]?["cursor"] == nil
                ? ["tools": [], "nextCursor": "2", "ttlMs": 9_000] : ["tools": [], "ttlMs": 2_000]
            PlayedServer.answering(page)(message, end)
        })
        let client = server.client(time: clock.time)
        for _ in 0..<3 { _ = try await client.listTools() }
        #expect(server.methods.count { $0 == Method.listTools } == 2)
        clock.advance(by: .seconds(2))
        _ = try await client.listTools()
        #expect(server.methods.count { $0 == Method.listTools } == 4)
    }

    @Test("a list without a time to live is stale at once, but a legacy server's is kept a while")
    func untimed() async throws {
        let clock = ManualClock()
        let modern = PlayedServer.modern(list: PlayedServer.answering(["tools": []]))
        let client = modern.client(time: clock.time)
        for _ in 0..<3 { _ = try await client.listTools() }
        #expect(modern.methods.count { $0 == Method.listTools } == 3)

        let legacy = PlayedServer.legacy()
        let other = legacy.client(time: clock.time)
        for _ in 0..<3 { _ = try await other.listTools() }
        #expect(legacy.methods.count { $0 == Method.listTools } == 1)
        clock.advance(by: .seconds(300))
        _ = try await other.listTools()
        #expect(legacy.methods.count { $0 == Method.listTools } == 2)
    }

    @Test("a server that announces changes is listened to, and a change makes the list stale")
    func changes() async throws {
        let server = PlayedServer.modern(
            capabilities: ["tools": ["listChanged": true]],
            call: { message, end in
                end.send([
                    "jsonrpc": "2.0", "method": "notifications/tools/list_changed",
                    "params": ["_meta": [MetaKey.subscriptionID: 2]],
                ])
                PlayedServer.answering(["content": []])(message, end)
            }, list: PlayedServer.answering(["tools": [], "ttlMs": 100_000]))
        let told = Mutex(0)
        let client = server.client { $0.onToolsChanged = { told.withLock { $0 += 1 } } }
        for _ in 0..<2 { _ = try await client.listTools() }
        #expect(server.methods == [Method.discover, Method.listen, Method.listTools])
        #expect(server.received[1]["params"]?["notifications"] == ["toolsListChanged": true])
        _ = await client.callTool(UpstreamCall(tool: "t", arguments: [:]))
        #expect(told.withLock(\.self) == 1)
        _ = try await client.listTools()
        #expect(server.methods.count { $0 == Method.listTools } == 2)
    }

    @Test("a tool that is refused makes the list stale")
    func refusal() async throws {
        let server = PlayedServer.modern(
            call: PlayedServer.refusing(-32602),
            list: PlayedServer.answering(["tools": [], "ttlMs": 100_000]))
        let client = server.client()
        _ = try await client.listTools()
        _ = await client.callTool(UpstreamCall(tool: "t", arguments: [:]))
        _ = try await client.listTools()
        #expect(server.methods.count { $0 == Method.listTools } == 2)
    }

    @Test("an error instead of a list is told with its code")
    func error() async throws {
        let server = PlayedServer.modern(list: PlayedServer.refusing(-32603))
        let error = await #expect(throws: UpstreamError.self) {
            try await server.client().listTools()
        }
        #expect(error?.code == .refused)
        #expect(error?.rpcError?.code == -32603)
        #expect(error?.description.hasPrefix("Upstream 'played' (list): ") == true)
    }
}
