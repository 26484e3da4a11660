import Foundation
import MCPClient
import MCPProtocol
import OrderedJSON
import Synchronization
import Testing

@Suite("Client of a stdio server", .timeLimit(.minutes(1)))
struct StdioClientTests {
    private let fixture = Fixture()

    @Test(
        "the era is found out, and tools are listed and called in each",
        arguments: [
            ("modern", ProtocolVersion.v2026_07_28), ("legacy", .v2025_11_25),
            ("both", .v2026_07_28),
        ])
    func eras(era: String, version: ProtocolVersion) async throws {
        let client = fixture.client("--era", era)
        #expect(try await client.connect().version == version)
        #expect(try await client.listTools().map(\.name).contains("send"))

        let outcome = await client.callTool(
            UpstreamCall(
                tool: "echo", arguments: ["amount": .number(JSONNumber(1))],
                meta: [MetaKey.idempotencyKey: "key-1"]))

        let echo = try #require(outcome.result?.structuredContent)
        #expect(echo["arguments"] == ["amount": 1])
        #expect(echo["meta"]?[MetaKey.idempotencyKey] == "key-1")
        #expect((echo["meta"]?[MetaKey.protocolVersion] != nil) == version.isModern)
        #expect(try fixture.ledger().first?["key"] == "key-1")
        await client.close()
    }

    @Test("a server that exits when it is probed is started again, as a legacy one")
    func exitsOnProbe() async throws {
        let client = fixture.client("--exit-on-probe", "--era", "legacy")
        #expect(try await client.connect().version == .v2025_11_25)
        #expect(await client.callTool(UpstreamCall(tool: "lookup", arguments: [:])).result != nil)
        await client.close()
    }

    @Test("a server that is silent when it is probed is a legacy one")
    func hangsOnProbe() async throws {
        let client = fixture.client(
            "--hang-on-probe", configure: { $0.probeTimeout = .milliseconds(200) })
        #expect(try await client.connect().version == .v2025_11_25)
        await client.close()
    }

    @Test("a server slower than the probe is still modern if it refuses initialize")
    func slowStart() async throws {
        let client = fixture.client(
            "--slow-start", "400", "--era", "modern",
            configure: { $0.probeTimeout = .milliseconds(100) })
        #expect(try await client.connect().version == .v2026_07_28)
        await client.close()
    }

    @Test("a server that does not start is named, with what it complained of")
    func failsToStart() async throws {
        let client = fixture.client("--fail-start")
        let error = try #require(
            await client.callTool(UpstreamCall(tool: "send", arguments: [:])).before)
        #expect(error.code == .notStarted)
        #expect(error.upstream == "fixture")
        #expect(error.phase == .start)
        #expect(error.isRetryable)
        #expect(error.message.contains("exited with code 3"))
        #expect(error.description.contains("mcp-fixture: cannot start"))
        #expect(try fixture.ledger().isEmpty)
    }

    @Test("a command that is not there is named, and so is a folder")
    func missing() async throws {
        let noCommand = fixture.client(command: { $0.command = "no-such-mcp-server" })
        let first = await #expect(throws: UpstreamError.self) { try await noCommand.connect() }
        #expect(first?.message.contains("no-such-mcp-server") == true)
        #expect(first?.message.contains("No such file") == true)
        #expect(first?.isRetryable == false)

        let noFolder = fixture.client(command: { $0.workingDirectory = "/no/such/folder" })
        let second = await #expect(throws: UpstreamError.self) { try await noFolder.connect() }
        #expect(second?.message.contains("/no/such/folder") == true)

        let noGuard = fixture.client(command: { $0.guardPath = "/no/such/guard" })
        let third = await #expect(throws: UpstreamError.self) { try await noGuard.connect() }
        #expect(third?.code == .notStarted)
        #expect(third?.message.contains("/no/such/guard") == true)
    }

    @Test("a lost reply is an unknown outcome, and the tool acted once")
    func lostReply() async throws {
        let client = fixture.client()
        let error = try #require(
            await client.callTool(
                UpstreamCall(tool: "lost_reply", arguments: [:], timeout: .milliseconds(300))
            ).unknown)
        #expect(error.code == .timedOut)
        #expect(error.phase == .call)
        #expect(try fixture.count("done", "lost_reply") == 1)
        await client.close()
    }

    @Test("a crash is an unknown outcome, and the server is started again")
    func crash() async throws {
        let client = fixture.client()
        for (when, effects) in [("before", 0), ("after", 1)] {
            let error = try #require(
                await client.callTool(
                    UpstreamCall(tool: "crash", arguments: ["when": .string(when)])
                ).unknown)
            #expect(error.code == .disconnected)
            #expect(error.standardError.contains("crashing as told"))
            #expect(error.message.contains("code 70"))
            #expect(try fixture.count("done", "crash") == effects)
        }
        #expect(await client.callTool(UpstreamCall(tool: "lookup", arguments: [:])).result != nil)
        await client.close()
    }

    @Test("a crash fails every call that waits, as unknown")
    func crashWithNeighbours() async throws {
        let client = fixture.client()
        let slow = Task {
            await client.callTool(UpstreamCall(tool: "slow", arguments: ["milliseconds": 30_000]))
        }
        try await eventually { try fixture.count("started", "slow") == 1 }
        _ = await client.callTool(UpstreamCall(tool: "crash", arguments: [:]))
        #expect(await slow.value.unknown?.code == .disconnected)
        await client.close()
    }

    @Test("only errors that precede execution mean that the tool did not run")
    func errorCodes() async throws {
        let client = fixture.client()
        for code in [-32700, -32600, -32601, -32602, -32020, -32021, -32022] {
            let outcome = await client.callTool(Self.failing(code))
            #expect(outcome.before?.rpcError?.code == code)
        }
        for code in [-32603, -32000, -32002, -32042, -32603, -32023, -32099, 0, 1, -1, 404] {
            let outcome = await client.callTool(Self.failing(code))
            #expect(outcome.unknown?.rpcError?.code == code)
        }
        #expect(
            await client.callTool(UpstreamCall(tool: "no_such_tool", arguments: [:])).before != nil)
        await client.close()
    }

    private static func failing(_ code: Int) -> UpstreamCall {
        UpstreamCall(tool: "rpc_error", arguments: ["code": .number(JSONNumber(code))])
    }

    @Test("a tool that says it failed has answered")
    func isError() async throws {
        let client = fixture.client()
        let outcome = await client.callTool(UpstreamCall(tool: "fail", arguments: [:]))
        #expect(outcome.result?.isError == true)
        await client.close()
    }

    @Test("a cancelled call stops in the server, which lives on")
    func cancellation() async throws {
        let client = fixture.client(configure: { $0.cancellationGrace = .milliseconds(100) })
        let call = Task {
            await client.callTool(UpstreamCall(tool: "slow", arguments: ["milliseconds": 1_000]))
        }
        try await eventually { try fixture.count("started", "slow") == 1 }
        call.cancel()
        #expect(await call.value.unknown?.code == .cancelled)

        let other = await client.callTool(
            UpstreamCall(tool: "slow", arguments: ["milliseconds": 1_200], timeout: .seconds(20)))
        #expect(other.result != nil)
        // The cancelled one would have acted before the other did.
        #expect(try fixture.count("done", "slow") == 1)
        await client.close()
    }

    @Test("a call that was never sent because its task was cancelled did not run")
    func cancelledBefore() async throws {
        let client = fixture.client("--slow-start", "2000")
        let call = Task {
            await client.callTool(UpstreamCall(tool: "send", arguments: [:]))
        }
        call.cancel()
        #expect(await call.value.before?.code == .cancelled)
        await client.close()
    }

    @Test("progress is told in order", arguments: ["modern", "legacy"])
    func progress(era: String) async throws {
        let client = fixture.client("--era", era)
        let told = Mutex<[Int?]>([])
        let outcome = await client.callTool(
            UpstreamCall(
                tool: "slow", arguments: ["milliseconds": 100],
                onProgress: { progress in told.withLock { $0.append(progress.progress.intValue) } }
            ))
        #expect(outcome.result != nil)
        #expect(told.withLock(\.self) == Array(1...10))
        await client.close()
    }

    @Test("a hundred calls at once each get their own answer")
    func concurrency() async throws {
        let client = fixture.client()
        let answers = await withTaskGroup(of: (Int, Int?).self) { group in
            for number in 0..<100 {
                group.addTask {
                    let outcome = await client.callTool(
                        UpstreamCall(
                            tool: "echo",
                            arguments: [
                                "number": .number(JSONNumber(number)),
                                "milliseconds": .number(JSONNumber(number % 7)),
                            ]))
                    let echo = outcome.result?.structuredContent
                    return (number, echo?["arguments"]?["number"]?.intValue)
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        #expect(answers.count == 100)
        #expect(answers.allSatisfy { $0.key == $0.value })
        await client.close()
    }

    @Test("a result that is too large is an unknown outcome of that call alone")
    func tooLarge() async throws {
        let client = fixture.client(command: { $0.maximumMessageBytes = 100_000 })
        let waiting = Task {
            await client.callTool(UpstreamCall(tool: "slow", arguments: ["milliseconds": 300]))
        }
        let error = try #require(
            await client.callTool(UpstreamCall(tool: "big", arguments: ["bytes": 200_000])).unknown)
        #expect(error.code == .tooLarge)
        #expect(error.message.contains("'big'"))
        let limited = await client.callTool(
            UpstreamCall(tool: "big", arguments: ["bytes": 5_000], maximumResultBytes: 4_000))
        #expect(limited.unknown?.code == .tooLarge)
        let fitting = await client.callTool(
            UpstreamCall(tool: "big", arguments: ["bytes": 90_000]))
        #expect(fitting.result?.text.utf8.count == 90_000)
        #expect(await waiting.value.result != nil)
        await client.close()
    }

    @Test("close ends the server, and calls after it are refused")
    func close() async throws {
        let client = fixture.client()
        let echo = await client.callTool(UpstreamCall(tool: "echo", arguments: [:]))
        let process = try #require(echo.result?.structuredContent?["pid"]?.intValue)
        #expect(isRunning(process))
        await client.close()
        #expect(!isRunning(process))
        let refused = await client.callTool(UpstreamCall(tool: "echo", arguments: [:]))
        #expect(refused.before?.code == .closed)
    }

    @Test("a server that never answers is ended, whatever it does about signals")
    func silent() async throws {
        let script = "trap '' TERM; echo $$ >&2; while :; do sleep 600; done"
        let client = fixture.client(
            configure: { configuration in
                configuration.probeTimeout = .milliseconds(100)
                configuration.startTimeout = .milliseconds(100)
            },
            command: { command in
                command.command = "sh"
                command.arguments = ["-c", script]
                command.exitPatience = .milliseconds(50)
                command.terminationGrace = .milliseconds(50)
            })
        let error = await #expect(throws: UpstreamError.self) { try await client.connect() }
        #expect(error?.code == .timedOut)
        #expect(error?.phase == .start)
        let process = try #require(fixture.lines.withLock { $0.first.flatMap { Int($0.text) } })
        #expect(!isRunning(process))
    }

    @Test("secrets are taken out of results, errors and what the server complains of")
    func scrubbing() async throws {
        let client = fixture.client(
            "--era", "modern",
            configure: { $0.scrub = { $0.replacing("as told", with: "[secret]") } })
        let echo = await client.callTool(
            UpstreamCall(tool: "echo", arguments: ["text": "do as told"]))
        #expect(echo.result?.structuredContent?["arguments"]?["text"] == "do [secret]")
        #expect(echo.result?.text.contains("as told") == false)
        let crash = await client.callTool(UpstreamCall(tool: "crash", arguments: [:])).unknown
        #expect(crash?.standardError == "mcp-fixture: crashing [secret]")
        #expect(fixture.lines.withLock { $0.map(\.text) } == ["mcp-fixture: crashing [secret]"])
        await client.close()
    }
}
