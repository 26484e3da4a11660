internal import DurableEngine
internal import DurableSecurity
internal import MCPProtocol
package import OrderedJSON

/// The tools that list and decide approvals.
struct ApprovalTools: Sendable {
    let engine: Engine

    var all: [OwnTool] { [listPendingApprovals, approve, reject] }

    /// Reads the status of a run whose approver need not see it.
    private static let reader = Principal(id: "durable-mcp", roles: [.audit], authLevel: .anonymous)
    /// How many bytes of arguments a list shows.
    private static let argumentBytes = 24 << 10

    // MARK: list_pending_approvals

    private var listPendingApprovals: OwnTool {
        OwnTool(
            "list_pending_approvals", title: "List approvals that wait",
            """
            Lists what waits for a person's decision, oldest first: which call with which \
            arguments, why it is asked, how risky it is. Show it to the person whole. You do not \
            decide it: a person runs 'durable-mcp approve ID' or 'durable-mcp reject ID' in a \
            terminal.
            """,
            in: .approvals, roles: [.use, .operate, .approve, .audit], hints: .looking,
            input: ObjectSchema([
                "limit": ObjectSchema.integer(1...100, "How many at most; 20 by default."),
                "cursor": ObjectSchema.text("What the page before gave as 'nextCursor'."),
            ]),
            output: ObjectSchema(
                [
                    "approvals": ObjectSchema.list(of: Self.approvalSchema.value, "Oldest first."),
                    "nextCursor": ObjectSchema.text("Where the next page begins."),
                ],
                required: ["approvals"])
        ) { call in
            let page = try await engine.pendingApprovals(
                visibleTo: call.principal, limit: call.integer("limit") ?? 20,
                cursor: call.text("cursor"))
            var bytesLeft = Self.argumentBytes
            var json: JSONObject = [
                "approvals": .array(page.entries.map { .object(ApprovalView($0).json(&bytesLeft)) })
            ]
            json["nextCursor"] = page.next.map(JSONValue.string)
            return .structured(json)
        }
    }

    private static let approvalSchema = ObjectSchema(
        [
            "approvalId": approvalID, "runId": ObjectSchema.text("The run that waits."),
            "principal": ObjectSchema.text("Who started that run."),
            "purpose": ObjectSchema.choice(
                ApprovalRequested.Purpose.allCases.map(\.rawValue),
                "'gate': whether a call may start; 'step': a question of the script; 'reconcile': "
                    + "whether a call whose answer was lost has happened."),
            "tool": ObjectSchema.text("The tool it is about."),
            "upstream": ObjectSchema.text("The server that tool lives on."),
            "arguments": ["type": "object", "description": "Exactly what it is called with."],
            "argumentsOmitted": ObjectSchema.text("Why the arguments are not shown."),
            "argumentsDigest": ObjectSchema.text(
                "A digest of the arguments; empty for a question."),
            "effect": ObjectSchema.choice(
                EffectKind.allCases.map(\.rawValue), "What the call does to the world."),
            "key": ObjectSchema.text("The call's idempotency key."),
            "definitionDigest": ObjectSchema.text("The digest of the tool's pinned definition."),
            "audience": ObjectSchema.text("Whom it is addressed to, if to somebody."),
            "risk": ObjectSchema.choice(
                Risk.allCases.map(\.rawValue), "How much harm a wrong answer could do."),
            "requiredAuthLevel": ObjectSchema.choice(levels, "The level an approver needs."),
            "reason": ObjectSchema.text("Why a person is asked."),
            "requestedAt": ObjectSchema.text("Since when it waits."),
            "expiresAt": ObjectSchema.text("When it is too late."),
        ],
        required: [
            "approvalId", "runId", "purpose", "argumentsDigest", "risk", "requiredAuthLevel",
            "reason", "requestedAt",
        ])

    // MARK: approve, reject

    private static let approvalID = ObjectSchema.text("An approval's id, 'apr_…'.")
    private static let levels = AuthLevel.allCases.map(\.rawValue)
    private static let deciding: JSONObject = [
        "approvalId": approvalID,
        "approverId": ObjectSchema.text("Who decides: your own authenticated name."),
        "authLevel": ObjectSchema.choice(
            levels, "How surely you are known: at most your own authenticated level."),
        "argumentsDigest": ObjectSchema.text("The digest of the arguments you have seen."),
    ]
    private static let decidingRequired = ["approvalId", "approverId", "authLevel"]
    private static let decision = ObjectSchema(
        [
            "approvalId": approvalID,
            "decision": ObjectSchema.choice(["approved", "rejected"], "What was decided."),
            "runId": ObjectSchema.text("The run that waited."),
            "status": ObjectSchema.choice(RunStatus.names, "Where it stands now."),
        ],
        required: ["approvalId", "decision", "runId", "status"])

    private var approve: OwnTool {
        var input = Self.deciding
        input["output"] = ObjectSchema.anything(
            "For the purpose 'reconcile': what the call gave, where that is known.")
        return OwnTool(
            "approve", title: "Approve",
            """
            Approves what waits, as an authenticated person with the role 'approve'. An agent \
            cannot approve its own calls by naming somebody: the name and level are checked \
            against who is really connected. If you are an agent, ask a person to run \
            'durable-mcp approve ID' in a terminal instead. For the purpose 'reconcile' it says \
            that the call has happened.
            """,
            in: .approvals, roles: nil,
            hints: ToolAnnotations(
                readOnly: false, destructive: true, idempotent: false, openWorld: true),
            input: ObjectSchema(input, required: Self.decidingRequired), output: Self.decision
        ) { call in try await decide(call, approves: true) }
    }

    private var reject: OwnTool {
        var input = Self.deciding
        input["reason"] = ObjectSchema.text("Why not; it is kept and shown.")
        return OwnTool(
            "reject", title: "Reject",
            """
            Rejects what waits, as an authenticated person with the role 'approve'; the call is \
            then not made. For the purpose 'reconcile' it says that the call has not happened, \
            and it runs again. If you are an agent, ask a person to run 'durable-mcp reject ID' \
            in a terminal instead.
            """,
            in: .approvals, roles: nil,
            hints: ToolAnnotations(
                readOnly: false, destructive: false, idempotent: false, openWorld: true),
            input: ObjectSchema(input, required: Self.decidingRequired), output: Self.decision
        ) { call in try await decide(call, approves: false) }
    }

    private func decide(_ call: OwnCall, approves: Bool) async throws -> CallToolResult {
        let approver = try approver(of: call, approves: approves)
        let run = try await engine.answer(
            ApprovalAnswer(
                approvalID: call.approvalID, approves: approves, approver: approver,
                reason: call.text("reason"),
                output: call.arguments["output"].map(ReconciledOutput.result),
                argumentsDigest: call.text("argumentsDigest")))
        let snapshot = try await engine.run(run, visibleTo: Self.reader)
        return .structured([
            "approvalId": .string(call.approvalID.rawValue),
            "decision": approves ? "approved" : "rejected", "runId": .string(run.rawValue),
            "status": .string(snapshot.status.rawValue),
        ])
    }

    /// The authenticated principal, at the level that is claimed, if the claims are true.
    private func approver(of call: OwnCall, approves: Bool) throws -> Principal {
        let principal = call.principal
        let command = "durable-mcp \(approves ? "approve" : "reject") \(call.approvalID)"
        let instead = "Ask a person to run '\(command)' in a terminal."
        guard principal.has(.approve) else {
            throw ToolRefusal(
                """
                '\(principal.id)' has not the role 'approve', so it cannot decide this, whatever \
                'approverId' says. \(instead)
                """)
        }
        guard call.text("approverId") == principal.id else {
            throw ToolRefusal(
                """
                'approverId' must be your own authenticated name, which is '\(principal.id)': \
                nobody decides in the name of somebody else. \(instead)
                """)
        }
        let claimed = call.text("authLevel").flatMap(AuthLevel.init) ?? .anonymous
        guard claimed <= principal.authLevel else {
            throw ToolRefusal(
                """
                'authLevel' is '\(claimed.rawValue)', but '\(principal.id)' is known only at the \
                level '\(principal.authLevel.rawValue)'. \(instead)
                """)
        }
        return Principal(
            id: principal.id, roles: principal.roles, authLevel: claimed,
            personBehindElicitation: principal.personBehindElicitation)
    }
}

/// What a person says that a call gave, whose answer was lost.
package enum ReconciledOutput {
    /// The whole tool result that it stands for: itself where it is one, else a result that
    /// holds it.
    package static func result(_ output: JSONValue) -> JSONValue {
        if let object = output.objectValue {
            // What is no tool result is put into one.
            if object["content"] != nil, let result = try? CallToolResult(json: object) {
                return .object(result.json)
            }
            return .object(CallToolResult.structured(object).json)
        }
        return .object(CallToolResult(text: output.stringValue ?? output.text).json)
    }
}
