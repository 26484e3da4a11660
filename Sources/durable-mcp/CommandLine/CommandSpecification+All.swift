internal import DurableSecurity

extension CommandSpecification {
    /// Every command, in the order in which help lists them.
    static let all: [CommandSpecification] =
        [serve, demo] + runs + approvals + tokens + audit + [acceptUpstream, doctor, version]

    private static let serve = CommandSpecification(
        words: ["serve"], summary: "Serves MCP clients over stdio or HTTP.",
        discussion: """
            Over stdio a client starts this program itself; several may share one store.
            Over HTTP clients POST to /mcp on ADDRESS and come in with a bearer token, which
            'durable-mcp token create' makes. ADDRESS is HOST:PORT; PORT alone means
            127.0.0.1.

            Without --config there are no upstream servers, only the tools of durable-mcp
            itself.
            """,
        options: [
            Option(name: "--stdio", value: nil, help: "Serves standard input and output."),
            Option(name: "--http", value: "ADDRESS", help: "Serves HTTP, such as 127.0.0.1:8765."),
            Option(
                name: "--no-auth", value: nil,
                help: "Asks for no token. On loopback only; every local user can come in."),
            Option(name: "--failpoint", value: "NAME", help: "Crashes there.", isHidden: true),
        ],
        examples: [
            "durable-mcp serve --stdio --config server.jsonc",
            "durable-mcp serve --http 127.0.0.1:8765",
        ],
        make: makeServe)

    private static func makeServe(_ parsed: ParsedArguments) throws(UsageError) -> Command {
        let isOpen = parsed.flags.contains("--no-auth")
        let transport: ServeCommand.Transport
        switch (parsed.flags.contains("--stdio"), parsed["--http"]) {
        case (true, nil):
            transport = .stdio
            if isOpen { throw parsed.error("--no-auth goes with --http; stdio asks for no token.") }
        case (false, let text?):
            guard let address = ListenAddress(parsing: text) else {
                throw parsed.error("'\(text)' is no address. Write HOST:PORT, [IPV6]:PORT or PORT.")
            }
            transport = .http(address)
            if isOpen, !address.isLoopback {
                throw parsed.error(
                    "--no-auth is for loopback alone, and \(address) may be reached from "
                        + "elsewhere. Serve on 127.0.0.1, or leave --no-auth out.")
            }
        default:
            throw parsed.error("say either --stdio or --http ADDRESS.")
        }
        return .serve(
            ServeCommand(
                common: parsed.common, transport: transport, isOpen: isOpen,
                failpoint: parsed["--failpoint"]))
    }

    private static let demo = CommandSpecification(
        words: ["demo"], summary: "Shows in under a minute what durable-mcp does.",
        discussion: """
            Nothing needs to be configured. It kills its own server between an effect and its
            answer, restarts it, and proves from a ledger what happened and how often. The
            store is a temporary one.
            """,
        make: { parsed throws(UsageError) in .demo(DemoCommand(common: parsed.common)) })

    private static let acceptUpstream = CommandSpecification(
        words: ["upstream", "accept"], summary: "Accepts tools whose definition has changed.",
        discussion: """
            A tool is pinned as it was first seen. When its server changes it, it is withheld
            until somebody has looked: 'durable-mcp doctor' shows what has changed.
            """,
        operands: [Operand(name: "SERVER", help: "The server's name in the config.")],
        options: [
            Option(name: "--tool", value: "NAME", help: "Only this tool; without it, all."), json,
        ],
        examples: [
            "durable-mcp upstream accept git", "durable-mcp upstream accept git --tool git_log",
        ],
        make: { parsed throws(UsageError) in
            .acceptUpstream(
                AcceptUpstreamCommand(
                    common: parsed.common, server: parsed.operands[0], tool: parsed["--tool"],
                    json: parsed.json))
        })

    private static let doctor = CommandSpecification(
        words: ["doctor"], summary: "Checks the config, the store and every upstream.",
        discussion: """
            Reads the config, opens the store, and starts each upstream server once to list
            its tools. Says what is wrong and how to mend it; ends with 1 if anything is.
            """,
        options: [json],
        examples: ["durable-mcp doctor --config server.jsonc"],
        make: { parsed throws(UsageError) in
            .doctor(DoctorCommand(common: parsed.common, json: parsed.json))
        })

    private static let version = CommandSpecification(
        words: ["version"], summary: "Prints the version.", options: [json],
        make: { parsed throws(UsageError) in .version(VersionCommand(json: parsed.json)) })
}
