import MCPProtocol
import OrderedJSON
import Synchronization
import Testing

@testable import MCPServer

@Suite("stdio server", .timeLimit(.minutes(1)))
struct StdioServerTests {
    @Test("initialize works after discover, and both eras are served at once")
    func erasTogether() async throws {
        try await withStdioServer { client in
            client.send(modern(1, "server/discover"))
            #expect(await client.receive()?["result"]?["resultType"] == "complete")
            client.send(
                legacy(
                    2, "initialize",
                    [
                        "protocolVersion": "2025-06-18", "capabilities": [:],
                        "clientInfo": ["name": "old", "version": "0"],
                    ]))
            let greeting = await client.receive()?["result"]
            #expect(greeting?["protocolVersion"] == "2025-06-18")
            #expect(greeting?["resultType"] == nil)
            #expect(greeting?["serverInfo"]?["description"] == nil)
            client.send(["jsonrpc": "2.0", "method": "notifications/initialized"])
            client.send(legacy(3, "tools/call", ["name": "whoami"]))
            let old = await client.receive()?["result"]
            #expect(old?["_meta"] == nil)
            let oldFacts = #""version":"2025-06-18","client":"old","elicits":false}"#
            #expect(
                old?["content"]?.arrayValue?.first?["text"]?.stringValue?.hasSuffix(oldFacts)
                    == true)
            client.send(modern(4, "tools/call", ["name": "whoami"]))
            let new = await client.receive()?["result"]
            let newFacts = #""version":"2026-07-28","client":"tester","elicits":false}"#
            #expect(
                new?["content"]?.arrayValue?.first?["text"]?.stringValue?.hasSuffix(newFacts)
                    == true)
        }
    }

    @Test(
        "a cancelled call is stopped, and nothing more is sent for it, whatever it does",
        arguments: [[:], ["stubborn": true]] as [JSONValue])
    func cancellation(arguments: JSONValue) async throws {
        let handler = DemoHandler()
        try await withStdioServer(handler) { client in
            let params: JSONObject = ["name": "wait", "arguments": arguments]
            client.send(modern("a", "tools/call", params, meta: ["progressToken": 7]))
            #expect(await handler.events.stream.next() == "started")
            client.send([
                "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": ["requestId": "a", "reason": "enough"],
            ])
            #expect(await handler.events.stream.next() == "cancelled")
            client.send(modern("b", "server/discover"))
            #expect(await client.receive()?["id"] == "b")
            client.close()
            #expect(await client.receive() == nil)
        }
    }

    @Test("cancelling what is unknown, answered or malformed changes nothing")
    func vainCancellation() async throws {
        try await withStdioServer { client in
            for params in [["requestId": 9], [:], ["requestId": nil]] as [JSONValue] {
                client.send([
                    "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params,
                ])
            }
            client.send(modern(9, "tools/call", ["name": "echo"]))
            #expect(await client.receive()?["result"]?["structuredContent"] == [:])
        }
    }

    @Test("an id in flight is refused, and free again afterwards")
    func duplicateIDs() async throws {
        let handler = DemoHandler()
        try await withStdioServer(handler) { client in
            client.send(modern(1, "tools/call", ["name": "wait"]))
            #expect(await handler.events.stream.next() == "started")
            client.send(modern(1, "tools/call", ["name": "echo"]))
            #expect(await client.receive()?["error"]?["code"] == -32600)
            handler.gate.continuation.yield()
            #expect(await client.receive()?["result"]?["resultType"] == "complete")
            client.send(modern(1, "tools/call", ["name": "echo"]))
            #expect(await client.receive()?["result"] != nil)
        }
    }

    @Test("no more requests are taken than may be in flight")
    func bound() async throws {
        let handler = DemoHandler()
        var limits = StdioServer<DemoHandler>.Limits()
        limits.requestsInFlight = 2
        try await withStdioServer(handler, limits: limits) { client in
            for id in 1...3 {
                client.send(modern(.number(JSONNumber(id)), "tools/call", ["name": "wait"]))
            }
            let refused = await client.receive()
            #expect(refused?["id"] == 3)
            #expect(refused?["error"]?["code"] == -32600)
            handler.gate.continuation.yield()
            handler.gate.continuation.yield()
            #expect(await client.receive()?["result"] != nil)
            #expect(await client.receive()?["result"] != nil)
        }
    }

    @Test("the end of the input cancels what does not end in time, after telling the owner")
    func endOfInput() async throws {
        let handler = DemoHandler()
        let clock = ManualClock()
        try await withStdioServer(
            handler, clock: clock,
            onInputClosed: { handler.events.continuation.yield("input closed") }
        ) { client in
            client.send(modern(1, "tools/call", ["name": "wait"]))
            #expect(await handler.events.stream.next() == "started")
            client.close()
            #expect(await handler.events.stream.next() == "input closed")
            await clock.sleeps.stream.next()
            clock.advance(by: .seconds(1))
            #expect(await handler.events.stream.next() == "cancelled")
            #expect(await client.receive() == nil)
        }
    }

    @Test("a request on the last line, without a line end, is still answered")
    func lastLine() async throws {
        try await withStdioServer { client in
            client.input.continuation.yield(
                Array(modern(1, "tools/call", ["name": "echo"]).text.utf8))
            client.close()
            #expect(await client.receive()?["id"] == 1)
            #expect(await client.receive() == nil)
        }
    }

    @Test("progress rises, and is sent only where it was asked for")
    func progress() async throws {
        try await withStdioServer { client in
            client.send(
                modern(1, "tools/call", ["name": "progress"], meta: ["progressToken": "t"]))
            var messages: [JSONValue] = []
            for _ in 1...3 { messages.append(await client.receive() ?? .null) }
            #expect(
                messages[0]["params"]
                    == [
                        "progressToken": "t", "progress": number("0.2"), "total": 1,
                        "message": "begun",
                    ])
            #expect(messages[1]["params"]?["progress"] == number("0.6"))
            #expect(messages[2]["id"] == 1)
            client.send(modern(2, "tools/call", ["name": "progress"]))
            #expect(await client.receive()?["id"] == 2)
        }
    }

    @Test("no progress is sent for a request that is answered")
    func lateProgress() async throws {
        let handler = DemoHandler()
        try await withStdioServer(handler) { client in
            client.send(modern(1, "tools/call", ["name": "leak"], meta: ["progressToken": 1]))
            #expect(await client.receive()?["id"] == 1)
            let sink = try #require(handler.leaked.withLock { $0 })
            sink.report(1, message: "too late")
            client.send(modern(2, "server/discover"))
            #expect(await client.receive()?["id"] == 2)
        }
    }

    @Test("a long call shows signs of life to a client that asked for progress")
    func keepAlive() async throws {
        let handler = DemoHandler()
        let clock = ManualClock()
        try await withStdioServer(handler, clock: clock) { client in
            client.send(modern(1, "tools/call", ["name": "wait"], meta: ["progressToken": 1]))
            for step in 1...2 {
                await clock.sleeps.stream.next()
                clock.advance(by: .seconds(10))
                let value = await client.receive()?["params"]?["progress"]?.numberValue
                #expect(value?.doubleValue == Double(step) * 0.001)
            }
            handler.gate.continuation.yield()
            #expect(await client.receive()?["result"] != nil)
        }
    }

    @Test("what a handler's failure says stays in the log")
    func failures() async throws {
        let logged = Mutex<[String]>([])
        try await withStdioServer(log: { line in logged.withLock { $0.append(line) } }) { client in
            client.send(modern(1, "tools/call", ["name": "crash"]))
            let reply = await client.receive()
            #expect(reply?["error"]?["code"] == -32603)
            #expect(reply?.text.contains("swordfish") == false)
            #expect(logged.withLock { $0.count } == 1)
        }
    }
}

@Suite("Hostile input on stdio", .timeLimit(.minutes(1)))
struct HostileInputTests {
    /// Lines, what is said about each, and the id that is said with it.
    static let lines: [(line: String, code: Int, id: JSONValue?)] = [
        ("{", -32700, nil),
        ("nonsense", -32700, nil),
        ("[]", -32600, nil),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600, nil),
        ("1", -32600, nil),
        ("null", -32600, nil),
        ("{}", -32600, nil),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"}", -32700, nil),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600, nil),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", -32600, nil),
        ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600, nil),
        ("{\"jsonrpc\":\"2.0\",\"id\":1e99,\"method\":\"ping\"}", -32600, nil),
        ("{\"jsonrpc\":\"1.0\",\"id\":4,\"method\":\"ping\"}", -32600, 4),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":[]}", -32600, 4),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\",\"params\":[]}", -32602, 4),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/list\"}", -32602, 4),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"x\",\"params\":{\"_meta\":1}}", -32602, 4),
        ("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"initialize\"}", -32602, 4),
        ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"ping\"}", -32700, nil),
        ("{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"ping\"}", -32700, nil),
        (
            String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000), -32700,
            nil
        ),
        (String(repeating: "[", count: 1_000_000), -32700, nil),
        ("[" + String(repeating: "0,", count: 600_000) + "0]", -32700, nil),
    ]

    @Test(
        "each bad line is answered with its error, and the next good one is served",
        arguments: lines)
    func badLines(line: String, code: Int, id: JSONValue?) async throws {
        try await withStdioServer { client in
            client.send(text: line)
            let reply = await client.receive()
            #expect(reply?["error"]?["code"]?.intValue == code)
            #expect(reply?["id"] == id)
            client.send(legacy(77, "ping"))
            #expect(await client.receive() == ["jsonrpc": "2.0", "id": 77, "result": [:]])
        }
    }

    @Test(
        "bytes that are no UTF-8 are a parse error",
        arguments: [[0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x00]]
            as [[UInt8]])
    func badBytes(bytes: [UInt8]) async throws {
        try await withStdioServer { client in
            client.send(
                bytes: Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"".utf8) + bytes
                    + Array("\"}".utf8))
            #expect(await client.receive()?["error"]?["code"] == -32700)
            client.send(legacy(77, "ping"))
            #expect(await client.receive()?["id"] == 77)
        }
    }

    @Test("a line of 5 MiB is refused once, without an id, and not kept")
    func longLine() async throws {
        try await withStdioServer { client in
            let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
            for _ in 1...5 { client.input.continuation.yield(piece) }
            client.send(text: "")
            let reply = await client.receive()
            #expect(reply?["error"]?["code"] == -32600)
            #expect(reply?["id"] == nil)
            client.send(legacy(77, "ping"))
            #expect(await client.receive()?["id"] == 77)
        }
    }

    @Test("answers that nobody asked for, and unknown notifications, are passed over")
    func strayMessages() async throws {
        try await withStdioServer { client in
            client.send(["jsonrpc": "2.0", "id": 5, "result": [:]])
            client.send(["jsonrpc": "2.0", "id": 5, "error": ["code": 1, "message": ""]])
            client.send(["jsonrpc": "2.0", "method": "notifications/unheard-of"])
            client.send(text: "  ")
            client.send(legacy(77, "ping"))
            #expect(await client.receive()?["id"] == 77)
        }
    }
}
