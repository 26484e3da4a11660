import DurableTesting
import MCPClient
import MCPProtocol
import OrderedJSON
import Synchronization
import Testing

@Suite("Messages with an upstream server", .timeLimit(.minutes(1)))
struct SessionTests {
    private let call = UpstreamCall(tool: "t", arguments: [:])

    @Test(
        "a result that is no complete one is unknown, and never an empty success",
        arguments: [
            (
                #"{"resultType": "input_required", "requestState": "s"}"#,
                UpstreamError.Code.unsupported
            ),
            (#"{"resultType": "task", "taskId": "1"}"#, .unsupported),
            (#"{"resultType": "task", "content": []}"#, .unsupported),
            (#"{"task": {"taskId": "1", "status": "working"}}"#, .malformed),
            (#"{"resultType": "complete"}"#, .malformed),
            (#"{"resultType": 1, "content": []}"#, .malformed),
            (#"{"content": "text"}"#, .malformed),
            (#"{"content": [], "isError": "yes"}"#, .malformed),
        ])
    func results(text: String, code: UpstreamError.Code) async throws {
        let result = try JSONValue(parsing: text)
        let server = PlayedServer.modern(call: PlayedServer.answering(result))
        #expect(await server.client().callTool(call).unknown?.code == code)
    }

    @Test("a result without a type is complete")
    func untyped() async throws {
        let result: JSONValue = ["content": [["type": "text", "text": "hi"]]]
        let server = PlayedServer.modern(call: PlayedServer.answering(result))
        #expect(await server.client().callTool(call).result?.text == "hi")
    }

    @Test("numbers and their order go through unchanged")
    func exactness() async throws {
        let text = #"{"b":1.0,"a":12345678901234567890,"c":1e2}"#
        let arguments = try #require(try JSONValue(parsing: text).objectValue)
        let server = PlayedServer.modern(call: { message, end in
            let result: JSONValue = [
                "content": [], "structuredContent": message["params"]?["arguments"] ?? .null,
            ]
            PlayedServer.answering(result)(message, end)
        })
        let outcome = await server.client().callTool(UpstreamCall(tool: "t", arguments: arguments))
        #expect(outcome.result?.structuredContent?.text == text)
        #expect(server.received.last?["params"]?["arguments"]?.text == text)
    }

    @Test("a time-out tells the server, and the late answer harms nobody")
    func timeOut() async throws {
        let clock = ManualClock()
        let late = Mutex<[@Sendable () -> Void]>([])
        let server = PlayedServer.modern(call: { message, end in
            late.withLock {
                $0.append { PlayedServer.answering(["content": []])(message, end) }
            }
        })
        let client = server.client(time: clock.time)
        _ = try await client.connect()
        let first = Task { await client.callTool(call) }
        await eventually { late.withLock(\.count) == 1 && clock.sleeperCount == 1 }
        clock.advance(by: .seconds(60))
        #expect(await first.value.unknown?.code == .timedOut)
        let cancelled = server.received.last
        #expect(cancelled?["method"]?.stringValue == Method.cancelled)
        #expect(cancelled?["params"]?["requestId"] == server.received[1]["id"])

        late.withLock(\.self)[0]()
        let second = Task { await client.callTool(call) }
        await eventually { late.withLock(\.count) == 2 }
        late.withLock(\.self)[1]()
        #expect(await second.value.result != nil)
    }

    @Test("an answer that comes within the grace after a cancellation is still a result")
    func cancellationGrace() async throws {
        let clock = ManualClock()
        let server = PlayedServer { _, method in
            switch method {
            case Method.discover:
                PlayedServer.answering(["supportedVersions": ["2026-07-28"], "capabilities": [:]])
            case Method.cancelled:
                { message, end in
                    end.send([
                        "jsonrpc": "2.0", "id": message["params"]?["requestId"] ?? 0,
                        "result": ["content": []],
                    ])
                }
            default: nil
            }
        }
        let client = server.client(time: clock.time)
        let task = Task { await client.callTool(call) }
        await eventually { server.methods.contains(Method.callTool) }
        task.cancel()
        #expect(await task.value.result != nil)
    }

    @Test("a message that never left means that the tool did not run")
    func unsent() async throws {
        let clock = ManualClock()
        let server = PlayedServer.modern()
        let client = server.client(time: clock.time)
        _ = try await client.connect()
        server.connections[0].hold(true)

        let late = Task { await client.callTool(call) }
        await eventually { clock.sleeperCount == 1 }
        clock.advance(by: .seconds(60))
        #expect(await late.value.before?.code == .timedOut)

        let cancelled = Task { await client.callTool(call) }
        await eventually { clock.sleeperCount == 1 }
        cancelled.cancel()
        #expect(await cancelled.value.before?.code == .cancelled)

        let lost = Task { await client.callTool(call) }
        await eventually { clock.sleeperCount == 1 }
        await client.close()
        #expect(await lost.value.before?.code == .disconnected)
        #expect(!server.methods.contains(Method.callTool))
    }

    @Test("more requests than may wait are refused before they run")
    func overload() async throws {
        let server = PlayedServer.modern()
        let client = server.client { $0.maximumInFlight = 1 }
        _ = try await client.connect()
        let waiting = Task { await client.callTool(call) }
        await eventually { server.methods.contains(Method.callTool) }
        #expect(await client.callTool(call).before?.code == .overloaded)
        await client.close()
        #expect(await waiting.value.unknown?.code == .disconnected)
    }

    @Test("a legacy server's requests are answered: pings, and that nothing was offered")
    func legacyRequests() async throws {
        let server = PlayedServer.legacy(call: { message, end in
            end.send(["jsonrpc": "2.0", "id": "p", "method": "ping"])
            end.send(["jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"])
            PlayedServer.answering(["content": []])(message, end)
        })
        #expect(await server.client().callTool(call).result != nil)
        let answers = server.received.suffix(2)
        #expect(answers.first == ["jsonrpc": "2.0", "id": "p", "result": [:]])
        #expect(answers.last?["id"] == 1)
        #expect(answers.last?["error"]?["code"] == -32601)
    }

    @Test("a modern server's requests are not answered")
    func modernRequests() async throws {
        let server = PlayedServer.modern(call: { message, end in
            end.send(["jsonrpc": "2.0", "id": "p", "method": "ping"])
            PlayedServer.answering(["content": []])(message, end)
        })
        #expect(await server.client().callTool(call).result != nil)
        #expect(server.received.last?["method"]?.stringValue == Method.callTool)
    }

    @Test(
        "what is no answer to a request decides no request, and is noted",
        arguments: [
            "Starting server…", "{", #"{"jsonrpc":"2.0","error":{"code":-32700,"message":"?"}}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"?"}}"#, "[1]", "\u{0}",
            #"{"jsonrpc":"1.0","id":"x","result":{}}"#,
        ])
    func noise(text: String) async throws {
        let server = PlayedServer.modern(call: { message, end in
            end.send(bytes: Array(text.utf8))
            PlayedServer.answering(["content": []])(message, end)
        })
        let notes = Mutex(0)
        let client = server.client { $0.log = { _ in notes.withLock { $0 += 1 } } }
        #expect(await client.callTool(call).result != nil)
        #expect(notes.withLock(\.self) == (text.contains("\"x\"") ? 0 : 1))
    }

    @Test("an answer that cannot be read ends its own request, as unknown")
    func malformedAnswer() async throws {
        let server = PlayedServer.modern(call: PlayedServer.answering("text"))
        #expect(await server.client().callTool(call).unknown?.code == .malformed)
    }

    @Test("answers in a batch, as revision 2025-03-26 has them, are read")
    func batch() async throws {
        let server = PlayedServer.legacy(
            version: "2025-03-26",
            call: { message, end in
                end.send([
                    ["jsonrpc": "2.0", "method": "notifications/message", "params": [:]],
                    ["jsonrpc": "2.0", "id": message["id"] ?? 0, "result": ["content": []]],
                ])
            })
        #expect(await server.client().callTool(call).result != nil)
    }
}
