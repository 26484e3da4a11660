import DurableTesting
import MCPClient
import MCPProtocol
import OrderedJSON
import Testing

@Suite("Era negotiation", .timeLimit(.minutes(1)))
struct NegotiationTests {
    @Test("a modern server gets metadata with every request, and no initialize")
    func modern() async throws {
        let server = PlayedServer.modern(
            call: PlayedServer.answering(["resultType": "complete", "content": []]))
        let client = server.client()
        #expect(try await client.connect().version == .v2026_07_28)
        _ = try await client.listTools()
        _ = await client.callTool(UpstreamCall(tool: "t", arguments: [:]))

        #expect(server.methods == [Method.discover, Method.listTools, Method.callTool])
        for message in server.received {
            let meta = message["params"]?["_meta"]
            #expect(meta?[MetaKey.protocolVersion] == "2026-07-28")
            #expect(meta?[MetaKey.clientCapabilities] == [:])
            #expect(meta?[MetaKey.clientInfo]?["name"] == "mcp-client-tests")
        }
        #expect(Set(server.received.compactMap { $0["id"]?.intValue }).count == 3)
    }

    @Test(
        "any answer that is not modern leads to initialize",
        arguments: [-32601, -32602, -32600, -32000, 0, 1, -32022])
    func fallBack(code: Int) async throws {
        // -32022 without a list of versions proves nothing.
        let server = PlayedServer { _, method in
            switch method {
            case Method.discover: PlayedServer.refusing(code)
            case Method.initialize:
                PlayedServer.answering(PlayedServer.initialized("2025-11-25"))
            default: nil
            }
        }
        #expect(try await server.client().connect().version == .v2025_11_25)
        #expect(server.methods == [Method.discover, Method.initialize, Method.initialized])
        let initialize = server.received[1]["params"]
        #expect(initialize?["protocolVersion"] == "2025-11-25")
        #expect(initialize?["capabilities"] == [:])
        #expect(initialize?["_meta"] == nil)
    }

    @Test("a result of something else than discovery is a legacy server's")
    func strangeResult() async throws {
        let server = PlayedServer { _, method in
            switch method {
            case Method.discover: PlayedServer.answering(["hello": true])
            case Method.initialize:
                PlayedServer.answering(PlayedServer.initialized("2024-11-05"))
            default: nil
            }
        }
        #expect(try await server.client().connect().version == .v2024_11_05)
    }

    @Test(
        "every older revision that a server chooses is accepted",
        arguments: ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])
    func olderRevisions(version: String) async throws {
        let server = PlayedServer.legacy(version: version)
        #expect(try await server.client().connect().version.rawValue == version)
    }

    @Test("an unknown revision is refused, and both sides' are named")
    func unknownRevision() async throws {
        let server = PlayedServer.legacy(version: "2031-01-01")
        let error = await #expect(throws: UpstreamError.self) {
            try await server.client().connect()
        }
        #expect(error?.code == .incompatible)
        #expect(error?.message.contains("2031-01-01") == true)
        #expect(error?.message.contains("2026-07-28") == true)
    }

    @Test("a modern server without a common revision is no legacy server")
    func noCommonRevision() async throws {
        let versions: JSONValue = ["supported": ["2031-01-01"], "requested": "2026-07-28"]
        let server = PlayedServer { _, method in
            method == Method.discover ? PlayedServer.refusing(-32022, data: versions) : nil
        }
        let error = await #expect(throws: UpstreamError.self) {
            try await server.client().connect()
        }
        #expect(error?.code == .incompatible)
        #expect(error?.phase == .probe)
        #expect(server.methods == [Method.discover])
    }

    @Test("a server that names only older revisions gets initialize")
    func onlyOlder() async throws {
        let server = PlayedServer { _, method in
            switch method {
            case Method.discover:
                PlayedServer.answering(["supportedVersions": ["2025-06-18"], "capabilities": [:]])
            case Method.initialize:
                PlayedServer.answering(PlayedServer.initialized("2025-06-18"))
            default: nil
            }
        }
        #expect(try await server.client().connect().version == .v2025_06_18)
    }

    @Test("a server that ended when it was probed is not probed again")
    func remembersLegacy() async throws {
        let server = PlayedServer { connection, method in
            switch method {
            case Method.discover: { _, end in end.end("it exited with code 1") }
            case Method.initialize:
                PlayedServer.answering(PlayedServer.initialized("2025-06-18"))
            case Method.callTool where connection == 1: { _, end in end.end("it crashed") }
            case Method.callTool: PlayedServer.answering(["content": []])
            default: nil
            }
        }
        let client = server.client()
        let call = UpstreamCall(tool: "t", arguments: [:])
        #expect(await client.callTool(call).unknown?.code == .disconnected)
        #expect(await client.callTool(call).result != nil)
        #expect(server.connections.count == 3)
        #expect(server.methods.count { $0 == Method.discover } == 1)
        #expect(server.methods.count { $0 == Method.initialize } == 2)
    }

    @Test("many who need the server at once share one start")
    func oneStart() async throws {
        let server = PlayedServer.modern(
            call: PlayedServer.answering(["resultType": "complete", "content": []]))
        let client = server.client()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    let outcome = await client.callTool(UpstreamCall(tool: "t", arguments: [:]))
                    #expect(outcome.result != nil)
                }
            }
        }
        #expect(server.connections.count == 1)
        #expect(server.methods.count { $0 == Method.discover } == 1)
    }

    @Test("a server that crashes again and again is left to rest, longer each time")
    func restart() async throws {
        let clock = ManualClock()
        let server = PlayedServer.modern(call: { _, end in end.end("it crashed") })
        let client = server.client(time: clock.time) { $0.restart.patience = .zero }
        let call = UpstreamCall(tool: "t", arguments: [:])
        // The first crash costs no rest.
        #expect(await client.callTool(call).unknown != nil)
        #expect(await client.callTool(call).unknown != nil)
        for rest: Duration in [.milliseconds(500), .seconds(1), .seconds(2)] {
            let resting = await client.callTool(call).before
            #expect(resting?.code == .resting)
            #expect(resting?.retryAfter == rest)
            #expect(resting?.isRetryable == true)
            #expect(resting?.message.contains("it crashed") == true)
            clock.advance(by: rest)
            #expect(await client.callTool(call).unknown != nil)
        }
    }

    @Test("a call waits for the end of a short rest")
    func patience() async throws {
        let clock = ManualClock()
        let server = PlayedServer.modern(call: { _, end in end.end("it crashed") })
        let client = server.client(time: clock.time)
        let call = UpstreamCall(tool: "t", arguments: [:])
        _ = await client.callTool(call)
        _ = await client.callTool(call)
        let waiting = Task { await client.callTool(call) }
        await eventually { clock.sleeperCount == 1 }
        #expect(server.connections.count == 2)
        clock.advance(by: .milliseconds(500))
        #expect(await waiting.value.unknown != nil)
        #expect(server.connections.count == 3)
    }

    @Test("a server that ran well for long has not crashed in a row")
    func stable() async throws {
        let clock = ManualClock()
        let server = PlayedServer.modern(call: { _, end in end.end("it crashed") })
        let client = server.client(time: clock.time) { $0.restart.patience = .zero }
        let call = UpstreamCall(tool: "t", arguments: [:])
        for _ in 0..<5 {
            _ = try await client.connect()
            clock.advance(by: .seconds(60))
            #expect(await client.callTool(call).unknown != nil)
        }
    }
}
