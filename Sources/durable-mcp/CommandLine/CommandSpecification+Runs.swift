extension CommandSpecification {
    static let limit = Option(
        name: "--limit", value: "N", help: "At most so many, 1 to 1000 (default 50).")

    static let cursor = Option(
        name: "--cursor", value: "CURSOR", help: "Goes on where the page before ended.")

    static let runs = [
        CommandSpecification(
            words: ["runs", "list"], summary: "Lists runs, newest first.",
            options: [
                Option(
                    name: "--status", value: "STATUS",
                    help: "Only those that are "
                        + RunStatusWord.allCases.map(\.rawValue).joined(separator: ", ") + "."),
                limit, cursor, json,
            ],
            examples: ["durable-mcp runs list --status waiting"],
            make: { parsed throws(UsageError) in
                .listRuns(
                    ListRunsCommand(
                        common: parsed.common,
                        status: try parsed.choice("--status", of: RunStatusWord.self)?.rawValue,
                        limit: try parsed.integer("--limit", in: 1...1000, standard: 50),
                        cursor: parsed["--cursor"], json: parsed.json))
            }),
        CommandSpecification(
            words: ["runs", "show"], summary: "Shows one run with its steps.",
            operands: [Operand(name: "ID", help: "The id of a run, run_…")], options: [json],
            make: { parsed throws(UsageError) in
                .showRun(
                    ShowRunCommand(
                        common: parsed.common, runID: parsed.operands[0], json: parsed.json))
            }),
    ]

    static let approvals = [
        CommandSpecification(
            words: ["approvals", "list"], summary: "Lists what waits for a person, oldest first.",
            options: [limit, cursor, json],
            make: { parsed throws(UsageError) in
                .listApprovals(
                    ListApprovalsCommand(
                        common: parsed.common,
                        limit: try parsed.integer("--limit", in: 1...1000, standard: 50),
                        cursor: parsed["--cursor"], json: parsed.json))
            }),
        CommandSpecification(
            words: ["approve"], summary: "Approves what waits.",
            discussion: """
                Approves as the local user, at the level 'session': enough for standard risk.
                High risk asks for a token that was made with --auth-level devicePasscode.

                Where a call's outcome is unknown, --output says what it was.
                """,
            operands: [approvalID],
            options: [
                Option(
                    name: "--output", value: "JSON",
                    help: "For an unknown outcome: the result of the call."),
                tokenFile, json,
            ],
            examples: ["durable-mcp approve apr_…"],
            make: { parsed throws(UsageError) in
                .approve(
                    ApproveCommand(
                        common: parsed.common, approvalID: parsed.operands[0],
                        output: parsed["--output"], tokenFile: parsed["--token-file"],
                        json: parsed.json))
            }),
        CommandSpecification(
            words: ["reject"], summary: "Rejects what waits.",
            operands: [approvalID],
            options: [
                Option(name: "--reason", value: "TEXT", help: "Why, for the one who asked."),
                tokenFile, json,
            ],
            make: { parsed throws(UsageError) in
                .reject(
                    RejectCommand(
                        common: parsed.common, approvalID: parsed.operands[0],
                        reason: parsed["--reason"], tokenFile: parsed["--token-file"],
                        json: parsed.json))
            }),
    ]

    private static let approvalID = Operand(name: "ID", help: "The id of an approval, apr_…")

    private static let tokenFile = Option(
        name: "--token-file", value: "FILE",
        help: "Decides as the principal of the token in FILE ('-' reads standard input).")
}

/// The statuses that a run can have, as they are written.
enum RunStatusWord: String, CaseIterable {
    case queued, running, waiting, cancelling, compensating, completed, failed, cancelled, parked
}
