import Foundation
import OrderedJSON
import Testing

@Suite(
    "A server that ends and starts again", .tags(.process),
    // Each test starts several processes, and there may be few cores.
    .serialized, .timeLimit(.minutes(2)))
struct RestartTests {
    private static let script: JSONValue = [
        "steps": [
            ["tool": "fix__lookup", "arguments": ["thing": "address"]],
            [
                "tool": "fix__send",
                "arguments": [
                    "to": "${steps.0.output#/structuredContent/colour}", "text": "hello",
                ],
            ],
            ["finish": "Sent."],
        ]
    ]

    @Test("an approval survives it, and what was approved meanwhile is then done")
    func approval() async throws {
        let work = try Workplace()
        try work.configure()
        let client = try await work.connect()
        let waiting = try await client.call(
            "start_run", ["script": Self.script, "waitSeconds": 20])
        let (run, approval) = (
            try #require(waiting.runID), try #require(waiting.approvalID, "\(waiting.text)")
        )
        try await client.program.kill()

        let listed = try await work.json("approvals", "list")["approvals"]?.arrayValue?.first
        #expect(listed?["approvalId"]?.stringValue == approval)
        #expect(listed?["arguments"] == ["to": "green", "text": "hello"])
        let approved = try await work.run("approve", approval)
        #expect(approved.code == 0, "\(approved.complaints)")
        #expect(approved.complaints.contains("No server"), "\(approved.complaints)")
        #expect(try work.ledger().started("send") == 0)

        // Nobody asks the next server for anything: it goes on by itself.
        let next = try await work.connect()
        try await eventually("the message") { try work.ledger().done("send") == 1 }
        let ended = try await next.settled(run)
        #expect(ended.status == "completed" && ended["finalText"] == "Sent.")
        #expect(try work.ledger().started("lookup") == 1)
        #expect(try await work.run("approve", approval).code == 1)
        try await work.expectSoundLog()
    }

    @Test("an approval for other arguments is refused")
    func changedArguments() async throws {
        let work = try Workplace()
        try work.configure()
        let approver = try await work.token("bob", roles: "approve")
        let client = try await work.connect()
        let waiting = try await client.call("fix__send", ["to": "x", "text": "y"])
        let other = try await client.call("fix__send", ["to": "x", "text": "z"])
        let approvals = try await work.json("approvals", "list")["approvals"]?.arrayValue ?? []
        let wrong = approvals.first { $0["approvalId"]?.stringValue == other.approvalID }
        let server = try await HTTPServing(in: work)
        let refused = try await server.call(
            "approve",
            [
                "approvalId": .string(try #require(waiting.approvalID)), "approverId": "bob",
                "authLevel": "session",
                "argumentsDigest": try #require(wrong?["argumentsDigest"]),
            ], token: approver)
        #expect(refused.isError, "\(refused.text)")
        #expect(try work.ledger().started("send") == 0)
    }

    @Test("a run goes on by itself, without its caller", arguments: ["put", "lookup"])
    func recovery(tool: String) async throws {
        let work = try Workplace()
        try work.configure()
        let arguments: JSONValue =
            tool == "put"
            ? ["key": "a", "value": "b", "milliseconds": 700]
            : ["thing": "a", "milliseconds": 700]
        let steps: JSONValue = [
            "steps": [["tool": .string("fix__\(tool)"), "arguments": arguments], ["finish": "x"]]
        ]
        let client = try await work.connect()
        let run = try #require(try await client.call("start_run", ["script": steps]).runID)
        try await eventually("the call") { try work.ledger().started(tool) == 1 }
        try await client.program.kill()
        let next = try await HTTPServing(in: work, "--no-auth")
        try await eventually("the end of the run") {
            try await work.json("runs", "show", run)["status"] == "completed"
        }
        #expect(next.program.isRunning)
        #expect(try work.ledger().done(tool) >= 1)
        #expect(try work.ledger().keys(tool).count == 1)
        try await work.expectSoundLog()
    }

    @Test("killed while it makes its store, it leaves one that opens")
    func newStore() async throws {
        for delay in stride(from: 0, through: 120, by: 12) {
            let work = try Workplace()
            try work.configure()
            let first = try work.start(["serve", "--stdio"])
            // The moment is what the test is about: this is no waiting for something.
            try await Task.sleep(for: .milliseconds(delay))
            try await first.kill()
            let client = try await work.connect()
            let answer = try await client.call("fix__lookup", ["thing": "x"])
            #expect(!answer.isError, "\(answer.text)")
            try client.program.closeInput()
            #expect(try await client.program.awaitEnd() == .init(code: 0, isSignal: false))
            try await work.expectSoundLog()
        }
    }

    @Test("told to end, it finishes the call that is under way")
    func politeEnd() async throws {
        let work = try Workplace()
        try work.configure()
        let server = try await HTTPServing(in: work, "--no-auth")
        async let answer = server.call("fix__slow", ["milliseconds": 700])
        try await eventually("the call") { try work.ledger().started("slow") == 1 }
        kill(server.program.identifier, SIGTERM)
        #expect(try await !answer.isError)
        let ending = try await server.program.awaitEnd()
        #expect(ending == .init(code: 0, isSignal: false), "\(server.program)")
        #expect(try work.ledger().done("slow") == 1)
        let runs = try await work.json("runs", "list")["runs"]?.arrayValue ?? []
        #expect(runs.map { $0["status"]?.stringValue } == ["completed"])
        try await work.expectSoundLog()
    }
}
