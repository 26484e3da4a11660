import DurableEngine
import DurableMCP
import DurableSecurity
import Foundation
import Testing

@Suite("Server config")
struct ServerConfigTests {
    private func parse(_ text: String) throws -> ServerConfig {
        try ServerConfig(parsing: Array(text.utf8))
    }

    private func message(of text: String) throws -> String {
        try #require(throws: ConfigError.self) { try parse(text) }.message
    }

    @Test("what can be used is read", arguments: ConfigCases.good)
    func good(text: String) throws {
        _ = try parse(text)
    }

    @Test(
        "what cannot be used is refused, with its path and a remedy",
        arguments: ConfigCases.bad + ConfigCases.badForTheParser)
    func bad(text: String, says: String) throws {
        let message = try message(of: text)
        #expect(message.contains(says), "\(message)")
    }

    @Test("every problem is named at once, with its line and column")
    func positions() throws {
        let text = """
            {
              // A comment with "quotes" and { braces.
              "stor": "memory:", /* ä */ "limits": {"bodyBytes": 1,},
              "mcpServers": {"ä": {"command": "x"}},
            }
            """
        let lines = try message(of: text).split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.contains { $0.hasPrefix("config:3:3: stor: ") })
        #expect(lines.contains { $0.hasPrefix("config:3:41: limits.bodyBytes: ") })
        #expect(lines.contains { $0.hasPrefix("config:4:18: mcpServers[\"ä\"]: ") })
    }

    @Test("text that is no JSON is refused with its place")
    func noJSON() throws {
        #expect(try message(of: "{\n  \"a\" 1\n}").hasPrefix("config:2:7: This is no JSON."))
        #expect(try message(of: "").hasPrefix("config:1:1: This is no JSON."))
        #expect(try message(of: "{ /* never closed").contains("This is no JSON."))
        let deep = String(repeating: "[", count: 10_000)
        #expect(try message(of: deep).contains("This is no JSON."))
    }

    @Test("a server is read with all it says")
    func server() throws {
        let config = try parse(ConfigCases.good[12])
        let upstream = try #require(config.upstreams.first)
        #expect(upstream.name == "a")
        #expect(upstream.isEnabled)
        #expect(upstream.policy.trustAnnotations)
        #expect(upstream.policy.allows("read_file"))
        #expect(!upstream.policy.allows("write_file"))
        let other = upstream.policy.override(for: "read_file")
        #expect(other.timeout == .milliseconds(1500))
        #expect(other.settle == .zero)
        #expect(other.effect == nil)
        let send = upstream.policy.override(for: "send")
        #expect(send.timeout == .milliseconds(1500))
        #expect(send.effect == .external)
        #expect(send.approval == true)
        #expect(send.risk == .high)
        #expect(send.replayOnCrash == true)
    }

    @Test("an absent allow list allows all, an empty one none")
    func allow() throws {
        let open = try parse(#"{"mcpServers": {"a": {"command": "x"}}}"#)
        let closed = try parse(
            #"{"mcpServers": {"a": {"command": "x", "durable": {"allow": []}}}}"#)
        #expect(open.upstreams.first?.policy.allows("t") == true)
        #expect(closed.upstreams.first?.policy.allows("t") == false)
    }

    @Test("a later pattern wins over an earlier one, and the name over both")
    func precedence() {
        var policy = ToolPolicy()
        func rule(_ pattern: String, _ seconds: Int) -> ToolPolicy.Rule {
            var override = ToolOverride()
            override.timeout = .seconds(seconds)
            return ToolPolicy.Rule(pattern: WildcardPattern(pattern), override: override)
        }
        policy.rules = [rule("send", 1), rule("*", 2), rule("s*", 3)]
        #expect(policy.override(for: "send").timeout == .seconds(1))
        #expect(policy.override(for: "show").timeout == .seconds(3))
        #expect(policy.override(for: "look").timeout == .seconds(2))
    }

    @Test("what is odd but harmless is a warning")
    func warnings() throws {
        let cases = [
            (#"{"mcpServers": {"a": {"command": "x", "comand": "y"}}}"#, "Did you mean 'command'?"),
            (#"{"mcpServers": {"a": {"url": "https://example.com"}}}"#, "not built yet: 'a'"),
            (#"{"servers": {}, "inputs": []}"#, "Nobody is asked for inputs"),
            (
                """
                {"mcpServers": {"a": {"command": "x", "durable":
                  {"tools": {"t": {"effect": "pure", "replayOnCrash": true}}}}}}
                """, "This has no effect"
            ),
        ]
        for (text, says) in cases {
            let warnings = try parse(text).warnings
            #expect(warnings.count == 1)
            #expect(warnings.first?.message.contains(says) == true, "\(warnings)")
        }
        let quiet = #"{"mcpServers": {"a": {"url": "https://example.com", "disabled": true}}}"#
        #expect(try parse(quiet).warnings.isEmpty)
    }

    @Test("no message repeats a value of env or headers")
    func secrets() throws {
        let texts = [
            #"{"mcpServers": {"a": {"command": "x", "env": {"A": "${hunter2-x}"}}}}"#,
            #"{"mcpServers": {"a": {"command": "x", "env": {"A": "${hunter2"}}}}"#,
            #"{"mcpServers": {"a": {"url": "x", "headers": {"A": "hunter2\u0000"}}}}"#,
            #"{"mcpServers": {"a": {"command": "x", "env": {"A": ["hunter2"]}}}}"#,
        ]
        for text in texts {
            #expect(!(try message(of: text).contains("hunter2")))
        }
    }

    @Test("a missing file is named")
    func missingFile() throws {
        let error = try #require(throws: ConfigError.self) {
            try ServerConfig(path: "/no/such/config.jsonc")
        }
        #expect(error.code == .missingFile)
        #expect(error.message.contains("'/no/such/config.jsonc' does not exist"))
        let folder = try #require(throws: ConfigError.self) { try ServerConfig(path: "/") }
        #expect(folder.code == .unreadable)
    }

    @Test("a file is read, and its folder remembered")
    func file() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "config-\(UUID()).jsonc")
        defer {
            // Only tidying up: what stays behind does no harm.
            try? FileManager.default.removeItem(at: url)
        }
        try Data("\u{FEFF}{\"store\": \"memory:\",}".utf8).write(to: url)
        let config = try ServerConfig(path: url.path)
        #expect(config.store == "memory:")
        #expect(config.folder == url.deletingLastPathComponent().path)
        try Data("{\"stor\": 1}".utf8).write(to: url)
        let error = try #require(throws: ConfigError.self) { try ServerConfig(path: url.path) }
        #expect(error.message.hasPrefix("\(url.path):1:2: stor:"))
    }

    @Test("groups are shown unless hidden, where they are built")
    func exposed() throws {
        #expect(try parse("{}").exposed == [.runs, .approvals, .audit, .proxy])
        #expect(try parse(#"{"expose": {"audit": false}}"#).exposed == [.runs, .approvals, .proxy])
    }
}
