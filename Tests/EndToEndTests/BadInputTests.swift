import Foundation
import MCPProtocol
import OrderedJSON
import Testing

@Suite(
    "Bad input", .tags(.process),
    // Each test starts several processes, and there may be few cores.
    .serialized, .timeLimit(.minutes(2)))
struct BadInputTests {
    private static let big = Array(repeating: UInt8(ascii: " "), count: 5 << 20)
    private static let deep = Array(
        (String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)).utf8)
    private static let noText: [UInt8] =
        Array(#"{"jsonrpc":"2.0","id":1,"method":""#.utf8)
        + [0xFF, 0xC3, 0x28] + Array(#""}"#.utf8)

    @Test("over HTTP each is refused, and the server lives")
    func http() async throws {
        let work = try Workplace()
        try work.configure()
        let server = try await HTTPServing(in: work)
        let headers = [("Authorization", "Bearer \(server.token ?? "")")]
        let large = try await server.send("POST", Self.big, headers: headers)
        #expect(large.status == 413, "\(large.text)")
        for body in [Self.deep, Self.noText, Array("{".utf8), []] {
            let answer = try await server.send("POST", body, headers: headers)
            #expect(answer.status == 400, "\(answer.text)")
            #expect(answer.json?["error"]?["code"] == -32700, "\(answer.text)")
        }
        let unknown = try await server.request(
            Method.callTool, ["name": "no_such_tool"], token: server.token)
        #expect(unknown.status == 200 && unknown.json?["error"]?["code"] == -32602)
        #expect(unknown.text.contains("no_such_tool"))
        let method = try await server.request("tools/nothing", [:], token: server.token)
        #expect(method.status == 404 && method.json?["error"]?["code"] == -32601)
        #expect(try await !server.call("fix__lookup", ["thing": "x"]).isError)
        #expect(server.program.isRunning)
    }

    @Test("over stdio each is answered, and the server lives")
    func stdio() async throws {
        let work = try Workplace()
        try work.configure()
        let client = try await work.connect()
        for line in [Self.big, Self.deep, Self.noText, Array("{".utf8)] {
            try client.program.write(line + [10])
            guard case .error(_, let error) = try await client.stray() else {
                Issue.record("No error")
                continue
            }
            #expect(!error.message.isEmpty && error.message.count < 500)
        }
        await #expect(throws: RPCError.self) {
            try await client.request(Method.callTool, ["name": "no_such_tool"])
        }
        await #expect(throws: RPCError.self) {
            try await client.request(Method.callTool, ["name": "fix__no_such_tool"])
        }
        #expect(try await !client.call("fix__lookup", ["thing": "x"]).isError)
    }

    @Test("arguments that break the schema are an error that names the argument")
    func arguments() async throws {
        let work = try Workplace()
        try work.configure()
        let client = try await work.connect()
        let cases: [(String, JSONObject, String)] = [
            ("fix__lookup", [:], "thing"), ("fix__lookup", ["thing": 5], "thing"),
            ("fix__put", ["key": "a"], "value"),
            ("fix__lookup", ["thing": "x", "milliseconds": -1], "milliseconds"),
            ("get_run_status", [:], "runId"),
            ("get_run_status", ["runId": "run_x", "waitSeconds": 5000], "waitSeconds"),
            ("get_run_status", ["runId": "run_x", "waitSecond": 5], "waitSecond"),
            ("start_run", ["script": ["steps": []]], "steps"),
            ("start_run", ["script": ["steps": [["tol": "fix__lookup"]]]], "tol"),
            (
                "start_run",
                ["script": ["steps": [["tool": "fix__lookup", "arguments": ["thing": 5]]]]],
                "thing"
            ),
            ("start_run", ["script": ["steps": [["tool": "fix__nothing"]]]], "fix__nothing"),
            ("list_runs", ["status": "sleepy"], "status"),
        ]
        for (tool, arguments, name) in cases {
            let answer = try await client.call(tool, arguments)
            #expect(answer.isError, "\(tool) \(arguments)")
            #expect(answer.text.contains(name), "\(tool): \(answer.text)")
        }
        for tool in ["get_run_status", "cancel_run"] {
            let answer = try await client.call(tool, ["runId": "run_nothing"])
            #expect(answer.isError && answer.text.contains("run_nothing"), "\(answer.text)")
        }
        #expect(try work.ledger().entries.isEmpty)
        let none = try await work.run("runs", "show", "run_nothing")
        #expect(none.code == 1 && none.complaints.contains("run_nothing"))
        let approval = try await work.run("approve", "apr_nothing")
        #expect(approval.code == 1 && approval.complaints.contains("apr_nothing"))
    }

    @Test("a config that is missing or wrong is named, with the nearest known key")
    func config() async throws {
        let work = try Workplace()
        let missing = try await work.run("serve", "--stdio")
        #expect(missing.code == 1 && missing.complaints.contains(work.configPath))
        let cases: [(String, String, String)] = [
            (#"{"mcpServer": {}}"#, "mcpServer", "mcpServers"),
            (#"{"acces": {}}"#, "acces", "access"),
            (
                #"{"mcpServers": {"a": {"command": "x", "durable": {"trustAnotations": true}}}}"#,
                "trustAnotations", "trustAnnotations"
            ),
            (
                """
                {"mcpServers": {"a": {"command": "x", "durable": {"tools": {
                    "t": {"efect": "pure"}}}}}}
                """, "efect", "effect"
            ),
        ]
        for (text, wrong, nearest) in cases {
            try work.write(text, to: work.configPath)
            for command in [["serve", "--stdio"], ["runs", "list"]] {
                let program = try work.start(command)
                try program.closeInput()
                #expect(try await program.awaitEnd() == .init(code: 1, isSignal: false))
                #expect(program.complaints.contains("'\(wrong)'"), "\(program.complaints)")
                #expect(program.complaints.contains("'\(nearest)'"), "\(program.complaints)")
                #expect(program.lines.isEmpty)
            }
        }
        try work.write(#"{"mcpServers": {"#, to: work.configPath)
        let torn = try await work.run("serve", "--stdio")
        #expect(torn.code == 1 && torn.complaints.contains(work.configPath))
    }

    @Test("an upstream that does not start is named, with its last words")
    func upstream() async throws {
        let work = try Workplace()
        try work.configure(servers: [
            "fix": work.fixture(), "broken": work.fixture("--fail-start"),
            "absent": ["command": "/no/such/program"],
        ])
        let client = try await work.connect()
        for (name, reason) in [("broken", "cannot start"), ("absent", "/no/such/program")] {
            var words = ""
            do {
                let answer = try await client.call("\(name)__lookup", ["thing": "x"])
                #expect(answer.isError)
                words = answer.text
            } catch let error as RPCError {
                words = error.message
            }
            #expect(words.contains("'\(name)'") && words.contains(reason), "\(words)")
        }
        try await eventually("what it says") {
            let complaints = client.program.complaints
            return complaints.contains("'broken'") && complaints.contains("cannot start")
                && complaints.contains("'absent'") && complaints.contains("/no/such/program")
        }
        #expect(try await !client.call("fix__lookup", ["thing": "x"]).isError)
        let doctor = try await work.run("doctor")
        #expect(doctor.code == 1)
        let words = doctor.output + doctor.complaints
        #expect(words.contains("broken") && words.contains("cannot start"), "\(words)")
        #expect(words.contains("absent") && words.contains("/no/such/program"), "\(words)")
    }

    @Test("a folder that cannot be written is named")
    func readOnly() async throws {
        let work = try Workplace()
        try work.configure(servers: [:])
        let locked = "\(work.folder)/locked"
        try FileManager.default.createDirectory(
            atPath: locked, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o555])
        var folders = ["/proc/durable", "/sys/durable", "\(work.configPath)/below"]
        // To root every folder is open.
        if getuid() != 0 { folders.append(locked) }
        for folder in folders {
            for command in [["serve", "--stdio"], ["token", "create"]] {
                let words = command + ["--store", "sqlite:\(folder)/store.sqlite"]
                let program = try work.start(words, onStore: false)
                try program.closeInput()
                #expect(try await program.awaitEnd() == .init(code: 1, isSignal: false))
                #expect(program.complaints.contains(folder), "\(program.complaints)")
                #expect(program.lines.isEmpty)
            }
        }
    }

    @Test("a store that is none is refused, and left as it is")
    func noStore() async throws {
        let work = try Workplace()
        try work.configure(servers: [:])
        let text = String(repeating: "This is no database. ", count: 500)
        try work.write(text, to: work.storePath)
        let served = try await work.run("serve", "--stdio")
        #expect(served.code == 1 && served.complaints.contains(work.storePath))
        #expect(try String(contentsOfFile: work.storePath, encoding: .utf8) == text)
    }
}
