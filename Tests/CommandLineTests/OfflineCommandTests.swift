import Foundation
import OrderedJSON
import Testing

@testable import durable_mcp

@Suite("Commands without a server", .timeLimit(.minutes(2)))
struct OfflineCommandTests {
    @Test("every command has help, on standard output alone")
    func help() async throws {
        let place = try Place()
        for command in CommandSpecification.all {
            let help = try await place.run(command.words + ["--help"])
            #expect(help.code == 0)
            #expect(
                help.output.contains("Usage: durable-mcp \(command.words.joined(separator: " "))"))
            #expect(help.errors.isEmpty)
        }
        let whole = try await place.run("--help")
        #expect(whole.code == 0 && whole.output.contains("Commands:"))
    }

    @Test(
        "what is used wrongly ends with 2 and writes to standard error alone",
        arguments: [
            "", "quux", "runs", "runs list --status odd", "serve", "serve --stdio --http :0",
            "serve --http 0.0.0.0:8765 --no-auth", "approve", "audit verify --expect v1:x",
            "audit export --since yesterday", "audit export --format xml", "runs list --store x:",
            "serve --stdio --failpoint nowhere", "approve apr_x --output {",
        ])
    func usedWrongly(line: String) async throws {
        let outcome = try await Place().run(line)
        #expect(outcome.code == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("durable-mcp: "))
    }

    @Test("version says the version, as text and as JSON")
    func version() async throws {
        let place = try Place()
        let text = try await place.run("version")
        #expect(text.output == "durable-mcp \(ProductVersion.text)\n")
        let json = try await place.run("version --json").json()
        #expect(json["version"]?.stringValue == ProductVersion.text)
    }

    @Test(
        "what only looks at a store makes none, and says so",
        arguments: [
            "runs list", "runs show run_x", "approvals list", "approve apr_x", "reject apr_x",
            "token list", "token revoke tok_x", "audit tip", "audit verify", "audit export",
        ])
    func missingStore(line: String) async throws {
        let place = try Place()
        let outcome = try await place.run(line)
        #expect(outcome.code == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("There is no store at '\(place.store)' yet"))
        #expect(!FileManager.default.fileExists(atPath: place.folder + "/data"))
    }

    @Test("a store in memory has nothing to look at")
    func memory() async throws {
        let outcome = try await Place().run("runs list --store memory:")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("ends with its process"))
    }

    @Test(
        "what a command cannot find is named, with what to do",
        arguments: [
            ("runs show run_x", "'run_x'", "durable-mcp runs list"),
            ("approve apr_x", "'apr_x'", "durable-mcp approvals list"),
            ("reject apr_x", "'apr_x'", "durable-mcp approvals list"),
            ("token revoke tok_x", "'tok_x'", "durable-mcp token list"),
            ("audit export --run run_x", "'run_x'", "durable-mcp runs list"),
            ("audit export --output /nowhere/x", "/nowhere/x", "--output"),
            ("runs list --config nowhere.json", "'nowhere.json'", "--config"),
            ("approve apr_x --token-file nowhere", "'nowhere'", "read"),
        ])
    func unknown(line: String, name: String, remedy: String) async throws {
        let place = try Place()
        #expect(try await place.run("token create").code == 0)
        let outcome = try await place.run(line)
        #expect(outcome.code == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(name))
        #expect(outcome.errors.contains(remedy))
    }

    @Test(
        "a cursor that no page gave is used wrongly",
        arguments: ["runs list --cursor x", "approvals list --cursor x"])
    func badCursor(line: String) async throws {
        let place = try Place()
        _ = try await place.run("token create")
        let outcome = try await place.run(line)
        #expect(outcome.code == 2 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("--cursor"))
    }

    @Test("a refused export leaves no file")
    func refusedExport() async throws {
        let place = try Place()
        _ = try await place.run("token create")
        let file = place.folder + "/export"
        #expect(try await place.run("audit export --run run_x --output \(file)").code == 1)
        #expect(!FileManager.default.fileExists(atPath: file + ".part"))
    }

    @Test("a server that the config does not name cannot be accepted")
    func acceptUnknown() async throws {
        let place = try Place()
        try place.writeConfig()
        _ = try await place.run("token create")
        let outcome = try await place.run("upstream accept fxi --config \(place.config)")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("names no server 'fxi'"))
        #expect(outcome.errors.contains("'fix'"))
    }

    @Test("an unknown key of the config is named with the nearest, and its place")
    func unknownKey() async throws {
        let place = try Place()
        try place.write("{\"mcpServer\": {}}", to: place.config)
        let outcome = try await place.run("runs list --config \(place.config)")
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("config.json:1:2"))
        #expect(outcome.errors.contains("mcpServers"))
    }

    @Test("the standard config is read where it is, and its store is used")
    func standardConfig() async throws {
        let place = try Place()
        let folder = place.folder + "/settings/durable-mcp"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        try place.write("{\"store\": \"sqlite:here.sqlite\"}", to: folder + "/config.json")
        let outcome = try await place.run("runs list")
        #expect(outcome.errors.contains("'\(folder)/here.sqlite'"))
    }

    @Test(
        "a folder that cannot be written is an error that names it",
        arguments: ["token create", "serve --stdio"])
    func readOnly(line: String) async throws {
        // Even a superuser can make nothing there.
        let outcome = try await Place().run(line + " --store sqlite:/proc/nowhere/s.sqlite")
        #expect(outcome.code == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("/proc/nowhere"))
    }

    @Test("a token is shown once, kept as a hash, listed without what it is, and revoked")
    func tokens() async throws {
        let place = try Place()
        let made = try await place.run(
            "token create --principal ci --role approve,audit --auth-level devicePasscode --json")
        let json = try made.json()
        let token = try #require(json["token"]?.stringValue)
        let id = try #require(json["tokenId"]?.stringValue)
        #expect(token.hasPrefix("dmt_") && token.count == 56)
        #expect(json["roles"] == ["approve", "audit"])

        let second = try await place.run("token create")
        #expect(second.output.hasPrefix("dmt_") && second.output.split(separator: "\n").count == 1)
        #expect(second.errors.contains("shown this once"))

        let list = try await place.run("token list --json").json()
        let tokens = try #require(list["tokens"]?.arrayValue)
        #expect(tokens.count == 2)
        #expect(tokens[0]["principal"] == "ci" && tokens[0]["token"] == nil)
        #expect(tokens[1]["principal"]?.stringValue?.hasPrefix("os:") == true)
        for file in [place.store, place.store + "-wal"] {
            let bytes = try Data(contentsOf: URL(filePath: file))
            #expect(bytes.range(of: Data(token.utf8)) == nil)
        }

        #expect(try await place.run("token revoke \(id)").code == 0)
        let after = try await place.run("token list")
        #expect(after.output.contains("revoked") && after.output.contains("good"))
        try place.write(token + "\n", to: place.folder + "/token")
        let refused = try await place.run("approve apr_x --token-file token")
        #expect(refused.code == 1 && refused.errors.contains("was revoked"))
    }

    @Test("the store and its folder are for their user alone")
    func permissions() async throws {
        let place = try Place()
        _ = try await place.run("token create")
        for (path, mode) in [
            (place.folder + "/data", 0o700), (place.folder + "/data/durable-mcp", 0o700),
            (place.store, 0o600),
        ] {
            let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(found as? Int == mode, "\(path)")
        }
    }

    @Test("an empty store has no runs, no approvals, a tip, and is intact")
    func emptyStore() async throws {
        let place = try Place()
        _ = try await place.run("token create")
        let runs = try await place.run("runs list")
        #expect(runs.code == 0 && runs.output.isEmpty && runs.errors == "No runs.\n")
        #expect(try await place.run("runs list --json").json() == ["runs": []])
        let approvals = try await place.run("approvals list --json")
        #expect(try approvals.json() == ["approvals": []])
        let tip = try await place.run("audit tip")
        #expect(tip.output.hasPrefix("v1:0:0:") && tip.code == 0)
        let verdict = try await place.run("audit verify --json").json()
        #expect(verdict["intact"] == true)
        let export = try await place.run("audit export --format csv")
        #expect(export.output.hasPrefix("position,time,") && export.output.hasSuffix("digest\r\n"))
    }

    @Test("doctor says of each server what it is, or why not, and what it complained of")
    func doctor() async throws {
        let place = try Place()
        try place.writeConfig(
            durable: """
                {"allow": ["lookup", "se*"], "trustAnnotations": true,
                 "tools": {"send": {"approval": false, "effect": "idempotent"}}}
                """,
            rest: """
                , "bad": {"command": "/bin/sh", "args": ["-c", "echo $SECRET boom >&2; exit 3"],
                    "env": {"SECRET": "open-sesame"}},
                "absent": {"command": "no-such-program"},
                "off": {"command": "no-such-program", "disabled": true}
                """)
        let outcome = try await place.run("doctor --json --config \(place.config)")
        #expect(outcome.code == 1)
        let json = try outcome.json()
        #expect(json["ok"] == false)
        let upstreams = try #require(json["upstreams"]?.arrayValue)
        #expect(upstreams.map { $0["name"] } == ["fix", "bad", "absent", "off"])
        #expect(upstreams.map { $0["status"] } == ["ok", "failed", "failed", "disabled"])
        #expect(upstreams[0]["era"] == "modern")
        let tools = try #require(upstreams[0]["tools"]?.arrayValue)
        let send = try #require(tools.first { $0["tool"] == "send" })
        #expect(send["effect"] == "idempotent" && send["approval"] == false)
        #expect(send["name"] == "fix__send" && send["withheld"] == nil)
        let put = try #require(tools.first { $0["tool"] == "put" })
        #expect(put["withheld"]?.stringValue?.contains("allow") == true)
        #expect(upstreams[1]["error"]?.stringValue?.contains("code 3") == true)
        #expect(upstreams[1]["standardError"] == "[secret] boom")
        #expect(upstreams[2]["error"]?.stringValue?.contains("no-such-program") == true)
        #expect(!FileManager.default.fileExists(atPath: place.store))

        let text = try await place.run("doctor --config \(place.config)")
        #expect(text.code == 1)
        #expect(text.output.contains("upstream 'bad': failed") && text.output.contains("boom"))
        #expect(!text.output.contains("open-sesame"))
    }

    @Test("doctor is content where nothing is wrong")
    func healthy() async throws {
        let place = try Place()
        try place.writeConfig()
        let outcome = try await place.run("doctor --config \(place.config)")
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.output.contains("upstream 'fix': ok"))
        #expect(outcome.errors.isEmpty)
    }
}
