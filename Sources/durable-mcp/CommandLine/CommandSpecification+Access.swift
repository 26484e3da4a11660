internal import DurableSecurity

extension CommandSpecification {
    static let tokens = [
        CommandSpecification(
            words: ["token", "create"], summary: "Makes a token for HTTP clients.",
            discussion: """
                Prints the token once; the store keeps only its hash. Without --principal it
                stands for the local user.
                """,
            options: [
                Option(name: "--principal", value: "NAME", help: "Whom it stands for."),
                Option(
                    name: "--role", value: "ROLE",
                    help: "use, operate, approve, audit or admin; may be given several times "
                        + "(default use and operate).",
                    isRepeatable: true),
                Option(
                    name: "--auth-level", value: "LEVEL",
                    help: "anonymous, session, devicePasscode or biometric (default session)."),
                json,
            ],
            examples: [
                "durable-mcp token create --principal ci",
                "durable-mcp token create --role approve --auth-level devicePasscode",
            ],
            make: makeToken),
        CommandSpecification(
            words: ["token", "list"], summary: "Lists tokens by id; only hashes of them are kept.",
            options: [json],
            make: { parsed throws(UsageError) in
                .listTokens(ListTokensCommand(common: parsed.common, json: parsed.json))
            }),
        CommandSpecification(
            words: ["token", "revoke"], summary: "Makes a token useless, at once.",
            operands: [Operand(name: "ID", help: "The id of a token, as 'token list' shows it.")],
            options: [json],
            make: { parsed throws(UsageError) in
                .revokeToken(
                    RevokeTokenCommand(
                        common: parsed.common, tokenID: parsed.operands[0], json: parsed.json))
            }),
    ]

    private static func makeToken(_ parsed: ParsedArguments) throws(UsageError) -> Command {
        var token = CreateTokenCommand(
            common: parsed.common, principal: parsed["--principal"], json: parsed.json)
        var roles: Set<Role> = []
        for words in parsed.values["--role", default: []] {
            for word in words.split(separator: ",") {
                roles.insert(try parsed.choice("--role", String(word), of: Role.self))
            }
        }
        if !roles.isEmpty { token.roles = roles }
        token.authLevel =
            try parsed.choice("--auth-level", of: AuthLevel.self) ?? token.authLevel
        return .createToken(token)
    }

    static let audit = [
        CommandSpecification(
            words: ["audit", "tip"], summary: "Prints a tip: a short proof of the log so far.",
            discussion: """
                Note it somewhere else. 'audit verify --expect TIP' later shows whether the log
                still contains all that it stood for.
                """,
            options: [json],
            make: { parsed throws(UsageError) in
                .auditTip(AuditTipCommand(common: parsed.common, json: parsed.json))
            }),
        CommandSpecification(
            words: ["audit", "verify"], summary: "Checks that nobody has changed the log.",
            discussion: "Ends with 0 if it is whole, and with 1 if it is not.",
            options: [
                Option(name: "--expect", value: "TIP", help: "A tip that was noted before."), json,
            ],
            make: { parsed throws(UsageError) in
                .verifyAudit(
                    VerifyAuditCommand(
                        common: parsed.common, expectedTip: parsed["--expect"],
                        json: parsed.json))
            }),
        CommandSpecification(
            words: ["audit", "export"], summary: "Writes the log for auditors.",
            discussion: """
                One row an event, as JSON lines or CSV. Message text and arguments are left out;
                their digests are not. Times are RFC 3339, such as 2026-11-30T12:00:00Z.
                """,
            options: [
                Option(name: "--format", value: "FORMAT", help: "jsonl or csv (default jsonl)."),
                Option(name: "--run", value: "ID", help: "Only what belongs to this run."),
                Option(name: "--since", value: "TIME", help: "Only from this time on."),
                Option(name: "--until", value: "TIME", help: "Only before this time."),
                Option(
                    name: "--output", value: "FILE", help: "Writes there, not to standard output."),
            ],
            make: { parsed throws(UsageError) in
                .exportAudit(
                    ExportAuditCommand(
                        common: parsed.common,
                        format: try parsed.choice("--format", of: ExportAuditCommand.Format.self)
                            ?? .jsonl,
                        runID: parsed["--run"], since: parsed["--since"], until: parsed["--until"],
                        file: parsed["--output"]))
            }),
    ]
}
