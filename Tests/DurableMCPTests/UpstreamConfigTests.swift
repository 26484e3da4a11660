import DurableMCP
import DurableSecurity
import Testing

@Suite("Upstream config")
struct UpstreamConfigTests {
    private func upstream(_ server: String, named name: String = "a") throws -> UpstreamConfig {
        let text = #"{"mcpServers": {"\#(name)": \#(server)}}"#
        return try #require(ServerConfig(parsing: Array(text.utf8)).upstreams.first)
    }

    @Test("references are followed when asked, and what they give is scrubbed")
    func resolving() throws {
        let upstream = try upstream(
            """
            {"command": "${BIN:-/bin/x}", "args": ["--key", "${KEY}"], "cwd": "${HOME}",
             "env": {"TOKEN": "Bearer ${KEY}", "MODE": "fast", "LONG": "literal-value"}}
            """)
        guard case .stdio(let program) = upstream.transport else {
            Issue.record("It has a command.")
            return
        }
        let source = SecretSource(
            environment: ["KEY": "k3y", "HOME": "/home/ann"], folders: [])
        let resolved = try program.resolved(from: source)
        #expect(resolved.command == "/bin/x")
        #expect(resolved.arguments == ["--key", "k3y"])
        #expect(resolved.workingFolder == "/home/ann")
        #expect(
            resolved.environment == [
                "TOKEN": "Bearer k3y", "MODE": "fast", "LONG": "literal-value",
            ])
        #expect(
            resolved.scrubber.scrub("k3y fast literal-value /home/ann /bin/x")
                == "[secret] fast [secret] /home/ann /bin/x")
        let error = #expect(throws: SecurityError.self) {
            try program.resolved(from: SecretSource(environment: [:], folders: []))
        }
        #expect(error?.code == .missing)
    }

    @Test("a fingerprint follows the connection and the key, and nothing else")
    func fingerprint() throws {
        let key = [UInt8](repeating: 7, count: 32)
        let base = try upstream(#"{"command": "x", "env": {"A": "1", "B": "2"}}"#)
        let same = try upstream(
            #"{"env": {"B": "2", "A": "1"}, "command": "x", "args": [], "durable": {"allow": []}}"#)
        #expect(base.fingerprint(key: key) == same.fingerprint(key: key))
        #expect(base.fingerprint(key: key).utf8.count == 52)
        #expect(base.fingerprint(key: key) != base.fingerprint(key: [1]))
        for other in [
            try upstream(#"{"command": "y", "env": {"A": "1", "B": "2"}}"#),
            try upstream(#"{"command": "x", "env": {"A": "1", "B": "3"}}"#),
            try upstream(#"{"command": "x", "env": {"A": "1"}}"#),
            try upstream(#"{"command": "x", "args": ["1"], "env": {"A": "1", "B": "2"}}"#),
            try upstream(#"{"command": "x", "cwd": "/", "env": {"A": "1", "B": "2"}}"#),
            try upstream(#"{"command": "x", "env": {"A": "1", "B": "2"}}"#, named: "b"),
        ] {
            #expect(base.fingerprint(key: key) != other.fingerprint(key: key))
        }
    }

    @Test(
        "a pattern matches whole names",
        arguments: [
            ("read", "read", true), ("read", "reader", false), ("*", "", true), ("*", "x", true),
            ("read_*", "read_", true), ("read_*", "reread_a", false), ("*_file", "a_file", true),
            ("*_file", "a_files", false), ("a*b*c", "a1b2b3c", true), ("a*b*c", "a1c", false),
            ("?", "", false), ("?", "é", true), ("a?c", "abc", true), ("[a]", "a", false),
            ("", "", true), ("", "a", false),
        ])
    func patterns(pattern: String, name: String, matches: Bool) {
        #expect(WildcardPattern(pattern).matches(name) == matches)
    }

    @Test("a pattern made to be slow is not", .timeLimit(.minutes(1)))
    func slowPattern() {
        let pattern = WildcardPattern(String(repeating: "*a", count: 100) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 2000)))
    }
}
