import DurableSecurity
import Testing

@testable import durable_mcp

@Suite("Command line")
struct CommandParserTests {
    private func parse(_ line: String) throws -> Command {
        try CommandParser(commands: CommandSpecification.all)
            .parse(line.split(separator: " ").map(String.init))
    }

    private static let common = CommonOptions(config: "c.json", store: "memory:")

    static let commands: [(String, Command)] = [
        ("serve --stdio", .serve(ServeCommand(transport: .stdio))),
        (
            "serve --http :8765 --no-auth --failpoint afterIntent",
            .serve(
                ServeCommand(
                    transport: .http(ListenAddress(host: "127.0.0.1", port: 8765)), isOpen: true,
                    failpoint: "afterIntent"))
        ),
        (
            "serve --config=c.json --store=memory: --http=[::1]:0",
            .serve(
                ServeCommand(
                    common: common, transport: .http(ListenAddress(host: "::1", port: 0))))
        ),
        ("demo", .demo(DemoCommand())),
        (
            "runs list --status waiting --limit 5 --json",
            .listRuns(ListRunsCommand(status: "waiting", limit: 5, json: true))
        ),
        ("runs show run_a", .showRun(ShowRunCommand(runID: "run_a"))),
        ("runs show --json -- -odd", .showRun(ShowRunCommand(runID: "-odd", json: true))),
        ("approvals list", .listApprovals(ListApprovalsCommand())),
        (
            "approve apr_a --output {} --token-file -",
            .approve(ApproveCommand(approvalID: "apr_a", output: "{}", tokenFile: "-"))
        ),
        ("reject apr_a --reason no", .reject(RejectCommand(approvalID: "apr_a", reason: "no"))),
        ("token create", .createToken(CreateTokenCommand())),
        (
            "token create --principal ci --role approve --role use,audit --auth-level biometric",
            .createToken(
                CreateTokenCommand(
                    principal: "ci", roles: [.approve, .use, .audit], authLevel: .biometric))
        ),
        ("token list --json", .listTokens(ListTokensCommand(json: true))),
        ("token revoke tok_a", .revokeToken(RevokeTokenCommand(tokenID: "tok_a"))),
        ("audit tip", .auditTip(AuditTipCommand())),
        ("audit verify --expect v1:x", .verifyAudit(VerifyAuditCommand(expectedTip: "v1:x"))),
        (
            "audit export --format csv --run r --since a --until b --output f",
            .exportAudit(
                ExportAuditCommand(format: .csv, runID: "r", since: "a", until: "b", file: "f"))
        ),
        (
            "upstream accept git --tool log",
            .acceptUpstream(AcceptUpstreamCommand(server: "git", tool: "log"))
        ),
        ("doctor --config c.json --store memory:", .doctor(DoctorCommand(common: common))),
        ("version --json", .version(VersionCommand(json: true))),
        ("--version", .version(VersionCommand())),
        ("__guard --help x", .guardProcess(arguments: ["--help", "x"])),
    ]

    @Test("each command is read", arguments: commands)
    func read(line: String, expected: Command) throws {
        #expect(try parse(line) == expected)
    }

    @Test(
        "what is wrong is named, with what is right",
        arguments: [
            ("", "a command is missing", ""),
            ("sreve", "'sreve' is no command. Did you mean 'serve'?", ""),
            ("quux", "There are: serve, demo, runs, approvals, approve, reject", ""),
            ("runs lst", "Did you mean 'runs list'?", "runs"),
            ("runs", "'runs' needs one of: list, show", "runs"),
            ("runs --json", "'runs' needs one of: list, show", "runs"),
            ("--json version", "a command must come before options", ""),
            ("serve", "say either --stdio or --http ADDRESS", "serve"),
            ("serve --stdio --http 1", "say either --stdio or --http ADDRESS", "serve"),
            ("serve --stdio --no-auth", "--no-auth goes with --http", "serve"),
            ("serve --http 0.0.0.0:80 --no-auth", "for loopback alone", "serve"),
            ("serve --http host", "'host' is no address", "serve"),
            ("serve --http", "--http needs a value: --http ADDRESS", "serve"),
            ("serve --http --no-auth", "--http needs a value", "serve"),
            ("serve --config= --stdio", "--config needs a value", "serve"),
            (
                "serve --stdio --stor=memory:",
                "'--stor' is not known here. Did you mean '--store'?",
                "serve"
            ),
            ("serve --stdio --failpont x", "the option '--failpont' is not known here.\n", "serve"),
            ("serve --stdio=yes", "--stdio takes no value", "serve"),
            ("demo --store a --store b", "--store is given twice", "demo"),
            ("demo -x", "the option '-x' is not known", "demo"),
            ("runs show", "ID is missing: The id of a run", "runs show"),
            ("runs show a b", "'b' is one argument too many", "runs show"),
            ("runs list --limit 0", "--limit must be a whole number from 1 to 1000", "runs list"),
            ("runs list --status done", "--status must be one of queued, running", "runs list"),
            ("token create --role root", "--role must be one of use, operate", "token create"),
            ("token create --auth-level x", "must be one of anonymous", "token create"),
            ("audit export --format xml", "must be one of jsonl, csv", "audit export"),
            ("help nothing", "'nothing' is no command", ""),
        ])
    func refused(line: String, says: String, command: String) throws {
        let error = try #require(throws: UsageError.self) { try parse(line) }
        #expect("\(error)".contains(says), "\(error)")
        let help = command.isEmpty ? "durable-mcp --help" : "durable-mcp \(command) --help"
        #expect("\(error)".hasSuffix("Try '\(help)'."))
    }

    @Test("every command has help with its options, and hides what is hidden")
    func help() throws {
        for specification in CommandSpecification.all {
            let name = specification.words.joined(separator: " ")
            for line in ["\(name) --help", "\(name) -h", "help \(name)", "\(name) --odd --help"] {
                guard case .help(let text) = try parse(line) else {
                    Issue.record("'\(line)' shows no help.")
                    continue
                }
                #expect(text.hasPrefix(specification.summary))
                #expect(text.contains("Usage: durable-mcp \(name)"))
                for option in specification.allOptions {
                    #expect(text.contains(option.name) == !option.isHidden)
                }
                #expect(!text.split(separator: "\n").contains { $0.count > 90 }, "\(text)")
            }
        }
        guard case .help(let program) = try parse("--help") else {
            Issue.record("'--help' shows no help.")
            return
        }
        for specification in CommandSpecification.all {
            #expect(program.contains("  \(specification.words.joined(separator: " "))  "))
        }
        guard case .help(let group) = try parse("runs --help") else {
            Issue.record("'runs --help' shows no help.")
            return
        }
        #expect(group.contains("runs list") && group.contains("runs show"))
    }

    @Test("every example in help is a command line that is understood")
    func examples() throws {
        for specification in CommandSpecification.all {
            for example in specification.examples {
                #expect(example.hasPrefix("durable-mcp "))
                _ = try parse(String(example.dropFirst("durable-mcp ".count)))
            }
        }
    }
}

@Suite("Listen address")
struct ListenAddressTests {
    @Test(
        "what names a host and a port is read",
        arguments: [
            ("8765", "127.0.0.1:8765", true), (":0", "127.0.0.1:0", true),
            ("localhost:1", "localhost:1", true), ("127.8.0.1:65535", "127.8.0.1:65535", true),
            ("[::1]:80", "[::1]:80", true), ("0.0.0.0:80", "0.0.0.0:80", false),
            ("[::]:80", "[::]:80", false), ("example.com:443", "example.com:443", false),
            ("127.0.0.1.example.com:1", "127.0.0.1.example.com:1", false),
        ])
    func read(text: String, written: String, isLoopback: Bool) throws {
        let address = try #require(ListenAddress(parsing: text))
        #expect(address.description == written)
        #expect(address.isLoopback == isLoopback)
    }

    @Test(
        "anything else is not",
        arguments: [
            "", ":", "a:", "::1:80", "[]:80", "[a]:80", "a b:1", "a:65536", "a:-1", "a:+1",
            "http://a:1", "a:1x", "a:٣",
        ])
    func refused(text: String) {
        #expect(ListenAddress(parsing: text) == nil)
    }
}
