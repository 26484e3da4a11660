internal import DurableEngine
internal import DurableLog
internal import DurableMCP
internal import DurableSecurity
internal import FoundationEssentials
internal import OrderedJSON

/// The bodies of `approvals list`, `approve` and `reject`.
struct ApprovalCommands {
    let surroundings: Surroundings
    let output = CommandOutput()

    // MARK: approvals list

    func list(_ command: ListApprovalsCommand) async throws {
        let access = try StoreAccess(command.common, surroundings)
        let page = try await access.withExisting { store in
            let engine = try await Engine.idle(on: store)
            do throws(EngineError) {
                return try await engine.pendingApprovals(
                    visibleTo: surroundings.principal, limit: command.limit,
                    cursor: command.cursor)
            } catch {
                throw CommandFailure.listing(error)
            }
        }
        if command.json {
            var object: JSONObject = [
                "approvals": .array(page.entries.map { .object(ApprovalView($0).json) })
            ]
            object["nextCursor"] = page.next.map { .string($0) }
            return try output.write(object)
        }
        if page.entries.isEmpty {
            output.note("Nothing waits for an approval.")
        } else {
            try output.write(page.entries.map(Self.text(of:)).joined(separator: "\n"))
        }
        if let next = page.next { output.note("There are more: --cursor \(next)") }
    }

    /// Everything that a person should know before deciding, in a fixed form.
    static func text(of approval: PendingApproval) -> String {
        let request = approval.request
        var fields = TextFields(indent: "  ")
        fields.add("Purpose", purpose(of: request))
        fields.add("Reason", request.reason)
        fields.add("Risk", request.risk.rawValue)
        fields.add("Needs level", request.requiredAuthLevel.rawValue)
        fields.add("Audience", approval.audience)
        fields.add("Run", request.runID.rawValue)
        fields.add("Principal", approval.principal)
        fields.add("Asked", Timestamp(milliseconds: approval.requestedAt).text)
        fields.add("Expires", request.expiresAt.map { Timestamp(milliseconds: $0).text })
        if let call = approval.call {
            fields.add("Tool", call.tool)
            fields.add("Definition", call.definitionDigest)
            fields.add("Upstream", call.upstream)
            fields.add("Effect", call.effect.rawValue)
            fields.add("Key", call.key)
            fields.add("Digest", request.argumentsDigest)
            fields.addBlock(
                "Arguments", SafeText.json(.object(call.arguments), pretty: true))
        }
        return "Approval \(request.approvalID.rawValue)\n" + fields.text
    }

    private static func purpose(of request: ApprovalRequested) -> String {
        switch request.purpose {
        case .gate: "gate: whether the call may start"
        case .step: "step: a question of the script"
        case .reconcile: "reconcile: whether a call whose answer was lost has happened"
        }
    }

    // MARK: approve, reject

    func approve(_ command: ApproveCommand) async throws {
        var result: JSONValue?
        if let text = command.output {
            do throws(JSONError) {
                result = ReconciledOutput.result(try JSONValue(parsing: text))
            } catch {
                throw CommandFailure.usedWrongly("--output is no JSON: \(error.message)")
            }
        }
        let decision = Decision(
            approvalID: ApprovalID(rawValue: command.approvalID), approves: true, reason: nil,
            output: result, tokenFile: command.tokenFile, json: command.json)
        try await decide(decision, command.common)
    }

    func reject(_ command: RejectCommand) async throws {
        let decision = Decision(
            approvalID: ApprovalID(rawValue: command.approvalID), approves: false,
            reason: command.reason, output: nil, tokenFile: command.tokenFile, json: command.json)
        try await decide(decision, command.common)
    }

    private struct Decision {
        var approvalID: ApprovalID
        var approves: Bool
        var reason: String?
        var output: JSONValue?
        var tokenFile: String?
        var json: Bool
        var word: String { approves ? "approved" : "rejected" }
    }

    private func decide(_ decision: Decision, _ options: CommonOptions) async throws {
        let access = try StoreAccess(options, surroundings)
        try await access.withExisting { store in
            let approver = try await approver(decision.tokenFile, access.config, store)
            let engine = try await Engine.idle(on: store)
            let run: RunID
            do throws(EngineError) {
                let shown = try await engine.pendingApproval(
                    decision.approvalID, visibleTo: approver)
                run = try await engine.answer(
                    ApprovalAnswer(
                        approvalID: decision.approvalID, approves: decision.approves,
                        approver: approver, reason: decision.reason, output: decision.output,
                        argumentsDigest: shown.request.argumentsDigest))
            } catch {
                throw failure(error, decision, approver)
            }
            let snapshot = try await engine.run(run, visibleTo: surroundings.principal)
            if decision.json {
                try output.write([
                    "approvalId": .string(decision.approvalID.rawValue),
                    "decision": .string(decision.word), "runId": .string(run.rawValue),
                    "status": .string(snapshot.status.rawValue),
                ])
            } else {
                try output.write(
                    "\(decision.approvalID) is \(decision.word); the run \(run) is "
                        + "\(snapshot.status.rawValue).\n")
            }
            if !snapshot.status.isEnded, try await !isServed(store) {
                output.note(
                    "No server runs on this store just now; the run goes on once one does.")
            }
        }
    }

    /// Whether another process has the store open, and so carries on what was decided.
    private func isServed(_ store: any EventStore) async throws -> Bool {
        for process in try await store.processes() where process != store.processID {
            if await store.isAlive(process) { return true }
        }
        return false
    }

    private func failure(
        _ error: EngineError, _ decision: Decision, _ approver: Principal
    ) -> CommandFailure {
        switch error.code {
        case .notFound:
            return CommandFailure(
                """
                There is no approval '\(decision.approvalID)' that \(approver.id) can see. \
                'durable-mcp approvals list' shows those that wait.
                """)
        case .notAllowed:
            let remedy = """
                Decide with a token that may: 'durable-mcp token create --role approve \
                --auth-level devicePasscode' makes one for high risk, and --token-file FILE \
                passes it.
                """
            return CommandFailure("\(error.message) \(remedy)")
        default:
            return CommandFailure(error.message)
        }
    }

    /// The local user, or whoever the token in the file stands for.
    private func approver(
        _ file: String?, _ config: ServerConfig, _ store: any EventStore
    ) async throws -> Principal {
        guard let file else { return surroundings.principal }
        let token = try TokenFile(path: file).read()
        if let found = config.access.tokens.principal(for: token) { return found }
        guard let found = try await TokenStore(store: store).principal(for: token) else {
            throw CommandFailure(
                """
                The token in '\(file)' is not known to this store, or was revoked. \
                'durable-mcp token list' shows those that are good.
                """)
        }
        return found
    }
}
