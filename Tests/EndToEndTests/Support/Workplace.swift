import Foundation
import OrderedJSON
import Testing

/// A folder of one test: its store, its config, and the ledger of its fixture.
final class Workplace: Sendable {
    let folder: String

    init() throws {
        folder = "/tmp/durable-mcp-e2e-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        // A folder that is left over in /tmp harms nobody.
        try? FileManager.default.removeItem(atPath: folder)
    }

    var storePath: String { "\(folder)/store.sqlite" }
    var storeURL: String { "sqlite:\(storePath)" }
    var configPath: String { "\(folder)/server.json" }
    var ledgerPath: String { "\(folder)/ledger.jsonl" }

    /// What a program started here finds around it; nothing of the machine's user.
    var environment: [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
            "HOME": folder, "USER": "tester", "LOGNAME": "tester",
        ]
    }

    // MARK: The config

    /// The fixture's tools as the tests use them: a pure, an idempotent and two external ones,
    /// of which `send` asks.
    static let tools: JSONValue = [
        "lookup": ["effect": "pure"],
        "put": ["effect": "idempotent"],
        "slow": ["effect": "external", "approval": false],
        "send": ["effect": "external", "approval": true, "risk": "standard"],
        "liar": ["effect": "external", "approval": true, "risk": "high"],
        "echo": ["effect": "pure"],
        "fail": ["effect": "pure"],
        "big": ["effect": "pure"],
    ]

    func fixture(_ more: String..., tools: JSONValue = Workplace.tools) -> JSONValue {
        let arguments = ["--ledger", ledgerPath] + more
        return [
            "command": .string(Product.fixture),
            "args": .array(arguments.map { .string($0) }),
            "durable": ["tools": tools],
        ]
    }

    /// Writes the config: the fixture as `fix`, and whatever else is given.
    func configure(
        servers: JSONObject? = nil, adding more: JSONObject = [:]
    ) throws {
        var config = more
        config["mcpServers"] = .object(servers ?? ["fix": fixture()])
        try write(JSONValue.object(config).text, to: configPath)
    }

    func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    // MARK: Programs

    /// Starts the program with these words, and this folder's store and config.
    func start(_ words: [String], onStore: Bool = true) throws -> RunningProgram {
        var words = words
        if onStore { words += ["--store", storeURL, "--config", configPath] }
        return try RunningProgram(
            Product.durableMCP, words, environment: environment, folder: folder)
    }

    /// Runs a command to its end.
    func run(
        _ words: String..., onStore: Bool = true
    ) async throws -> (code: Int32, output: String, complaints: String) {
        let program = try start(words, onStore: onStore)
        try program.closeInput()
        let ending = try await program.awaitEnd()
        #expect(!ending.isSignal, "\(program)")
        return (ending.code, program.lines.joined(separator: "\n"), program.complaints)
    }

    /// Runs a command that prints JSON, which must succeed.
    func json(_ words: String...) async throws -> JSONValue {
        let program = try start(words + ["--json"])
        try program.closeInput()
        let ending = try await program.awaitEnd()
        try #require(ending.code == 0 && !ending.isSignal, "\(program)")
        return try JSONValue(parsing: program.lines.joined(separator: "\n"))
    }

    /// Starts a server for one client, and connects to it.
    func connect(
        failpoint: String? = nil, era: StdioClient.Era = .modern
    ) async throws -> StdioClient {
        let more = failpoint.map { ["--failpoint", $0] } ?? []
        let client = StdioClient(try start(["serve", "--stdio"] + more), era: era)
        if era == .legacy { try await client.initialize() }
        return client
    }

    /// What the chain of digests and the tables beside the log say; an issue where not all is well.
    func expectSoundLog(_ location: SourceLocation = #_sourceLocation) async throws {
        let verdict = try await run("audit", "verify")
        #expect(
            verdict.code == 0, "\(verdict.output)\n\(verdict.complaints)",
            sourceLocation: location)
    }

    // MARK: The ledger

    /// What the fixture's tools did, oldest first.
    func ledger() throws -> Ledger {
        // A tool that was never called leaves no ledger.
        guard let data = FileManager.default.contents(atPath: ledgerPath) else {
            return Ledger(entries: [])
        }
        let entries = data.split(separator: 10).compactMap { line -> Ledger.Entry? in
            // A last line may be torn: its writer was killed.
            guard let json = try? JSONValue(parsing: Array(line)) else { return nil }
            return Ledger.Entry(json)
        }
        return Ledger(entries: entries)
    }
}

/// What the fixture's tools did.
struct Ledger: Sendable {
    struct Entry: Sendable {
        let isDone: Bool
        let tool: String
        let arguments: JSONValue
        let key: String?
        let process: Int32

        init?(_ json: JSONValue) {
            guard let event = json["event"]?.stringValue, let tool = json["tool"]?.stringValue
            else { return nil }
            isDone = event == "done"
            self.tool = tool
            arguments = json["arguments"] ?? .null
            key = json["key"]?.stringValue
            process = Int32(json["pid"]?.intValue ?? 0)
        }
    }

    var entries: [Entry]

    /// Calls of one tool that were begun.
    func started(_ tool: String) -> Int { entries.count { $0.tool == tool && !$0.isDone } }

    /// Calls of one tool that were carried out.
    func done(_ tool: String) -> Int { entries.count { $0.tool == tool && $0.isDone } }

    /// The keys under which a tool was called.
    func keys(_ tool: String) -> Set<String?> {
        Set(entries.filter { $0.tool == tool }.map(\.key))
    }
}
