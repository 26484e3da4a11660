import DurableEngine
import DurableMCP
import Foundation
import JSONSchema
import OrderedJSON
import Testing

@Suite("Config files to paste")
struct ConfigSchemaTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "mcp-config")

    private func json(_ name: String) throws -> JSONValue {
        let data = try Data(contentsOf: Self.folder.appending(path: name))
        return try JSONValue(parsing: Array(data))
    }

    private func schema() throws -> Schema {
        try Schema(compiling: json("durable-mcp.schema.json"))
    }

    @Test("the schema accepts what the parser accepts", arguments: ConfigCases.good)
    func good(text: String) throws {
        let violations = try schema().validate(JSONValue(parsing: text))
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test("the schema refuses what the parser refuses", arguments: ConfigCases.bad.map(\.config))
    func bad(text: String) throws {
        #expect(try !schema().validate(JSONValue(parsing: text)).isEmpty)
    }

    @Test("the server config is read without a warning, and says what its comments say")
    func server() throws {
        let config = try ServerConfig(path: Self.folder.appending(path: "server.jsonc").path)
        #expect(config.warnings.isEmpty, "\(config.warnings)")
        #expect(config.upstreams.map(\.name) == ["time", "git"])
        #expect(!config.exposed.contains(.audit))
        let git = try #require(config.upstreams.last?.policy)
        #expect(git.allows("git_diff_staged"))
        #expect(!git.allows("git_reset"))
        let commit = git.override(for: "git_commit")
        #expect(commit.effect == .external)
        #expect(commit.approval == true)
        #expect(commit.timeout == .seconds(30))
    }

    @Test(
        "each client's config is JSON that names us",
        arguments: [
            ("claude-code.mcp.json", "mcpServers"), ("claude-code-http.mcp.json", "mcpServers"),
            ("vscode.mcp.json", "servers"), ("cursor.mcp.json", "mcpServers"),
        ])
    func clients(name: String, key: String) throws {
        let servers = try #require(json(name)[key]?.objectValue)
        #expect(!servers.isEmpty)
        for server in servers.members.map(\.value) {
            if let command = server["command"] {
                #expect(command == "durable-mcp")
                #expect(server["args"]?.arrayValue?.prefix(2) == ["serve", "--stdio"])
            } else {
                #expect(server["url"] == "http://127.0.0.1:8765/mcp")
                #expect(server["headers"]?["Authorization"] != nil)
            }
        }
    }
}
