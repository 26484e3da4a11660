import DurableMCP
import DurableSecurity
import Testing

@Suite("Access config")
struct AccessConfigTests {
    private func access(_ text: String) throws -> AccessConfig {
        try ServerConfig(parsing: Array(#"{"access": \#(text)}"#.utf8)).access
    }

    @Test("by default stdio is the local user, who uses and operates")
    func standard() throws {
        let principal = try access("{}").stdio.principal(login: "ann")
        #expect(principal.id == "os:ann")
        #expect(principal.roles == [.use, .operate])
        #expect(principal.authLevel == .session)
        #expect(!principal.personBehindElicitation)
    }

    @Test("stdio is who the config says")
    func stdio() throws {
        let principal = try access(
            """
            {"stdio": {"principal": "desk", "roles": ["use", "approve"], "authLevel": "biometric",
             "personBehindElicitation": true}}
            """
        ).stdio.principal(login: "ann")
        #expect(principal.id == "desk")
        #expect(principal.roles == [.use, .approve])
        #expect(principal.authLevel == .biometric)
        #expect(principal.personBehindElicitation)
    }

    @Test("a token stands for its principal, and another for nobody")
    func tokens() throws {
        let (first, second) = (AccessToken.random(), AccessToken.random())
        let access = try access(
            """
            {"tokens": [
              {"principal": "one", "tokenHash": "\(first.hash.text)"},
              {"principal": "two", "tokenHash": "\(second.hash.text)", "roles": ["audit"],
               "authLevel": "devicePasscode"}]}
            """)
        #expect(access.tokens.principal(for: first.text)?.id == "one")
        #expect(access.tokens.principal(for: first.text)?.roles == [.use, .operate])
        #expect(access.tokens.principal(for: second.text)?.roles == [.audit])
        #expect(access.tokens.principal(for: second.text)?.authLevel == .devicePasscode)
        #expect(access.tokens.principal(for: second.text.dropLast() + "1") == nil)
        #expect(access.tokens.principal(for: "") == nil)
    }

    @Test("one token cannot stand for two principals")
    func sameToken() throws {
        let hash = AccessToken.random().hash.text
        let entry = #"{"principal": "p", "tokenHash": "\#(hash)"}"#
        #expect(throws: ConfigError.self) { try access(#"{"tokens": [\#(entry), \#(entry)]}"#) }
    }

    @Test("without authentication everybody is one user; the command line is an admin")
    func others() {
        #expect(Principal.withoutAuthentication.id == "local")
        #expect(Principal.withoutAuthentication.roles == [.use, .operate])
        #expect(Principal.commandLine(login: "ann").id == "os:ann")
        #expect(Principal.commandLine(login: "ann").has(.approve))
        #expect(Principal.commandLine(login: "ann").authLevel == .session)
    }
}
