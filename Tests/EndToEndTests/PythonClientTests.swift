import Foundation
import OrderedJSON
import Testing

/// A way in which the client from PyPI comes.
struct PythonCase: CustomTestStringConvertible, Sendable {
    let transport: String
    let era: String

    static let all = ["stdio", "http"].flatMap { transport in
        ["modern", "legacy"].map { PythonCase(transport: transport, era: $0) }
    }

    var testDescription: String { "\(transport), \(era)" }
}

@Suite(
    "The client from PyPI", .tags(.process),
    .enabled(if: Product.hasPython, "`make venv` installs it in .build/venv."),
    // Each case starts several processes, and there may be few cores.
    .serialized, .timeLimit(.minutes(2)))
struct PythonClientTests {
    @Test("calls, starts, waits for a person and sees the end", arguments: PythonCase.all)
    func story(_ one: PythonCase) async throws {
        let work = try Workplace()
        let time: JSONValue = [
            "command": .string("\(Product.python)/bin/mcp-server-time"),
            "args": ["--local-timezone", "UTC"], "durable": ["trustAnnotations": true],
        ]
        try work.configure(servers: ["time": time, "fix": work.fixture()])
        var server: HTTPServing?
        var target: [String]
        if one.transport == "http" {
            let started = try await HTTPServing(in: work)
            target = ["http://127.0.0.1:\(started.port)/mcp", started.token ?? ""]
            server = started
        } else {
            target = [
                Product.durableMCP, "serve", "--stdio", "--store", work.storeURL, "--config",
                work.configPath,
            ]
        }
        let client = try RunningProgram(
            "\(Product.python)/bin/python",
            ["\(Product.repository)/fixtures/python/call_and_wait.py", one.transport, one.era]
                + target,
            environment: work.environment, folder: work.folder)

        let connected = try await client.verdict("connected")
        let version = one.era == "modern" ? "2026-07-28" : "2025-11-25"
        #expect(connected["version"]?.stringValue == version)
        #expect(connected["server"] == "durable-mcp")
        let tools = try await client.verdict("tools")["names"]?.arrayValue ?? []
        for name in ["start_run", "approve", "time__convert_time", "fix__send"] {
            #expect(tools.contains(.string(name)))
        }
        let call = try await client.verdict("called")
        #expect(call["isError"] == false)
        #expect(call["text"]?.stringValue?.contains("Asia/Tokyo") == true, "\(call.text)")

        let waiting = try await client.verdict("waiting")
        #expect(waiting["status"] == "waiting", "\(waiting.text)")
        let approval = try #require(waiting["waitingOn"]?["approvalId"]?.stringValue)
        #expect(try work.ledger().started("send") == 0)
        let approved = try await work.run("approve", approval)
        #expect(approved.code == 0, "\(approved.complaints)")

        let ended = try await client.verdict("ended")
        #expect(ended["status"] == "completed", "\(ended.text)")
        #expect(ended["finalText"] == "The message is on its way.")
        let ending = try await client.awaitEnd()
        #expect(ending == .init(code: 0, isSignal: false), "\(client)")
        #expect(try work.ledger().done("send") == 1)
        _ = server
        try await work.expectSoundLog()
    }
}

extension RunningProgram {
    /// What a Python program says about one step of its own, one JSON object a line.
    fileprivate func verdict(_ step: String) async throws -> JSONValue {
        try await awaited("'\(step)' from \(self)", within: .seconds(60)) {
            let hasEnded = !isRunning
            for line in lines {
                let json = try JSONValue(parsing: line)
                if json["step"]?.stringValue == step { return json }
            }
            if hasEnded { throw Overdue(description: "\(self) ended before '\(step)'.") }
            return nil
        }
    }
}
