internal import FoundationEssentials
internal import LinuxPlatform
internal import OrderedJSON

/// The files of one demo, in a folder of its own that is removed afterwards.
struct DemoFiles {
    private let folder: String

    /// Makes the folder, and in it the config of a server with two upstreams.
    init() throws {
        let program = try FileSystem.canonicalPath(ChildCommand.ownExecutable)
        let fixture =
            String(program.prefix(upTo: program.lastIndex(of: "/") ?? program.endIndex))
            + "/mcp-fixture"
        guard FileManager.default.isExecutableFile(atPath: fixture) else {
            throw CommandFailure(
                "The demo needs the program 'mcp-fixture' beside durable-mcp; build the package.")
        }
        folder =
            FileManager.default.temporaryDirectory.path
            + "/durable-mcp-demo-\(CurrentProcess.identifier)"
        try FileSystem.makePrivateFolder(folder)
        let upstream: JSONObject = [
            "command": .string(fixture), "args": ["--ledger", .string(ledger)],
        ]
        var (notes, mail) = (upstream, upstream)
        notes["durable"] = ["trustAnnotations": true, "allow": ["put"]]
        mail["durable"] = [
            "allow": ["send"], "tools": ["send": ["effect": "external", "approval": false]],
        ]
        let servers: JSONValue = ["notes": .object(notes), "mail": .object(mail)]
        let config: JSONValue = ["mcpServers": servers]
        try AppendFile(path: self.config).append(config.serialized(pretty: true))
        try AppendFile(path: ledger).append([])
    }

    /// The server's config.
    var config: String { folder + "/server.json" }

    /// The store.
    var storeURL: String { "sqlite:" + folder + "/store.sqlite" }

    private var ledger: String { folder + "/ledger.jsonl" }

    /// How often each tool of the upstreams has acted, by their own account.
    func ledgerLine() throws -> String {
        let bytes = try Data(contentsOf: URL(filePath: ledger))
        var counts: [String: Int] = [:]
        for line in bytes.split(separator: 10) {
            let entry = try JSONValue(parsing: Array(line))
            guard entry["event"] == "done", let tool = entry["tool"]?.stringValue else { continue }
            counts[tool, default: 0] += 1
        }
        let parts = counts.keys.sorted().map { "\($0) ×\(counts[$0] ?? 0)" }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }

    /// Removes everything.
    func remove() {
        // What cannot be removed stays among the temporary files.
        try? FileManager.default.removeItem(atPath: folder)
    }
}
