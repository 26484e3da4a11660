internal import DurableSecurity
internal import OrderedJSON

/// What the run whose turn it is does next.
enum NextStep: Hashable {
    /// These events; then ask again.
    case events([EngineEvent])
    /// Its next step calls this tool: look it up, then plan or start it.
    case needsTool(String)
    /// These events, and then this attempt.
    case attempt(Attempt, events: [EngineEvent])
    /// Find out what became of this attempt.
    case reconcile(Attempt)
    /// Nothing before this time.
    case wait(until: Int64)
    /// Nothing until somebody acts.
    case idle

    /// One attempt at the current step's call.
    struct Attempt: Hashable {
        var runID: RunID
        var step: Int
        var number: Int
        var startedAt: Int64
        var call: PlannedCall
        var principal: String
    }
}

/// What a decision is given from outside: the time and a fresh id.
struct DecisionInput {
    /// Milliseconds since 1970.
    var now: Int64
    /// An id for an approval, if one is asked for.
    var approvalID: ApprovalID
}

/// Derives the keys and digests of calls, under a secret of the store.
protocol CallKeys: Sendable {
    /// The idempotency key of one step's call.
    func key(run: RunID, step: Int) -> String
    /// The digest under which arguments are shown and approved.
    func argumentsDigest(tool: String, _ arguments: JSONObject) -> String
}

extension ConversationState {
    /// After so many takeovers without progress, a run is put aside.
    static let crashLimit = 5

    /// What the active run does next; never called while an attempt of it is under way here.
    func decideNext(_ input: DecisionInput) -> NextStep {
        guard let run = active, run.parkedReason == nil else { return .idle }
        guard run.isStarted else {
            return .events([
                run.cancelRequestedBy == nil ? .runStarted(run.id) : run.ended(.cancelled)
            ])
        }
        guard let step = run.steps.last else { return decidePlan(run, input) }
        let index = run.steps.count - 1
        let cancelling = run.cancelRequestedBy != nil
        switch step.phase {
        case .awaiting(let id, _):
            guard let by = run.cancelRequestedBy, let request = approvals[id]?.request,
                request.purpose != .reconcile
            else { return .idle }
            return .events([run.withdrawn(request, by: by), run.ended(.cancelled)])
        case .planned, .ready:
            if cancelling { return .events([run.ended(.cancelled)]) }
            if let call = step.call { return .needsTool(call.tool) }
            return run.stepRequest(index, input).map { .events([$0]) } ?? .idle
        case .running: return .idle
        case .retrying(let next, let at, _):
            guard let call = step.call else { return .idle }
            if cancelling, call.effect != .idempotent { return .events([run.ended(.cancelled)]) }
            if at > input.now { return .wait(until: at) }
            let attempt = run.attempt(index, call, number: next, at: input.now)
            return .attempt(
                attempt, events: [.effectAttempt(run.id, step: index, attempt: next)])
        case .unknown(let attempt, let reason):
            guard let call = step.call else { return .idle }
            if call.canReconcile {
                return .reconcile(
                    run.attempt(index, call, number: attempt.number, at: attempt.startedAt))
            }
            return .events([run.reconcileRequest(index, call, reason, input)])
        case .done(let outcome, _, let error):
            return decideAfter(run, outcome, error, input)
        }
    }

    private func decideAfter(
        _ run: RunState, _ outcome: StepState.Outcome, _ error: String?, _ input: DecisionInput
    ) -> NextStep {
        if run.cancelRequestedBy != nil { return .events([run.ended(.cancelled)]) }
        guard outcome == .succeeded else {
            let index = run.steps.count - 1
            let name = run.steps[index].call.map { " (\($0.tool))" } ?? ""
            let reason = error ?? "The tool reported an error."
            let text = run.isScript ? "Step \(index)\(name) \(outcome.rawValue): \(reason)" : reason
            return .events([run.ended(.failed, error: text)])
        }
        return decidePlan(run, input)
    }

    private func decidePlan(_ run: RunState, _ input: DecisionInput) -> NextStep {
        if run.cancelRequestedBy != nil { return .events([run.ended(.cancelled)]) }
        let index = run.steps.count
        guard case .script(let script) = run.submission.work else {
            guard index == 0, case .call(let tool, _) = run.submission.work else {
                return .events([run.ended(.completed)])
            }
            return .needsTool(tool)
        }
        guard index < script.steps.count else {
            let text = run.steps.last { $0.kind == "assistant" }?.text
            return .events([run.ended(.completed, text: text)])
        }
        switch script.steps[index] {
        case .assistant(let text):
            return .events([.messageAdded(run.id, step: index, role: "assistant", text: text)])
        case .finish(let text):
            let decided = StepDecided(runID: run.id, step: index, kind: "finish")
            return .events([.stepDecided(decided), run.ended(.completed, text: text)])
        case .tool(let name, _, _): return .needsTool(name)
        case .approval:
            let decided = StepDecided(runID: run.id, step: index, kind: "approval")
            let request = run.stepRequest(index, input)
            return .events([.stepDecided(decided)] + (request.map { [$0] } ?? []))
        }
    }

    /// Plans or starts the call that ``decideNext(_:)`` asked the tool for.
    func decideCall(
        _ facts: ToolFacts, keys: some CallKeys, _ input: DecisionInput
    ) -> NextStep {
        guard let run = active else { return .idle }
        if let last = run.steps.last, last.phase == .planned || last.phase == .ready,
            let call = last.call
        {
            return run.start(run.steps.count - 1, call, facts, input)
        }
        let index = run.steps.count
        do throws(EngineError) {
            let (template, callID) = run.template(index)
            var arguments = template
            if run.isScript {
                let rendered = try StepReference.render(.object(template)) { step in
                    run.steps.indices.contains(step) ? run.steps[step].output : nil
                }
                arguments = rendered.objectValue ?? template
            }
            let call = PlannedCall(
                facts, arguments: arguments, callID: callID,
                key: keys.key(run: run.id, step: index),
                digest: keys.argumentsDigest(tool: facts.name, arguments))
            let decided = EngineEvent.stepDecided(
                StepDecided(runID: run.id, step: index, kind: "tool", call: call))
            return run.begin(index, call, facts, after: [decided], input)
        } catch {
            return .events([run.ended(.failed, error: "Step \(index) failed: \(error.message)")])
        }
    }

    /// Ends the active run, since a tool it needs does not exist.
    func decideAbsentTool(_ reason: String) -> [EngineEvent] {
        guard let run = active else { return [] }
        return [run.ended(.failed, error: reason)]
    }
}

extension RunState {
    var isScript: Bool {
        if case .script = submission.work { true } else { false }
    }

    func ended(_ status: RunStatus, text: String? = nil, error: String? = nil) -> EngineEvent {
        .runEnded(RunEnded(runID: id, status: status, finalText: text, error: error))
    }

    func withdrawn(_ request: ApprovalRequested, by: String) -> EngineEvent {
        .approvalResolved(
            ApprovalResolved(
                approvalID: request.approvalID, runID: id, decision: .withdrawn, approver: by,
                level: .anonymous, reason: "the run was cancelled", output: nil,
                argumentsDigest: request.argumentsDigest))
    }

    func attempt(
        _ step: Int, _ call: PlannedCall, number: Int, at time: Int64
    ) -> NextStep.Attempt {
        NextStep.Attempt(
            runID: id, step: step, number: number, startedAt: time, call: call,
            principal: submission.principal)
    }

    func firstAttempt(
        _ step: Int, _ call: PlannedCall, events: [EngineEvent], _ input: DecisionInput
    ) -> NextStep {
        let intent = EngineEvent.effectIntent(
            EffectIntent(
                runID: id, step: step, tool: call.tool, effect: call.effect, key: call.key,
                argumentsDigest: call.argumentsDigest))
        return .attempt(
            attempt(step, call, number: 1, at: input.now), events: events + [intent])
    }

    /// Starts a call that was decided before, if it is still what was decided, and approved.
    func start(
        _ step: Int, _ call: PlannedCall, _ facts: ToolFacts, _ input: DecisionInput
    ) -> NextStep {
        if call.definitionDigest != facts.definitionDigest {
            var changed = call
            changed.take(facts)
            let decided = StepDecided(runID: id, step: step, kind: "tool", call: changed)
            let reason = """
                The definition of '\(facts.name)' has changed since this call was planned, so it \
                is asked about again.
                """
            return .events([.stepDecided(decided), gateRequest(step, changed, reason, input)])
        }
        if steps[step].phase == .ready { return firstAttempt(step, call, events: [], input) }
        return begin(step, call, facts, after: [], input)
    }

    /// Asks for a decided call where its tool wants that, else starts it.
    func begin(
        _ step: Int, _ call: PlannedCall, _ facts: ToolFacts, after events: [EngineEvent],
        _ input: DecisionInput
    ) -> NextStep {
        guard let reason = facts.approvalReason else {
            return firstAttempt(step, call, events: events, input)
        }
        return .events(events + [gateRequest(step, call, reason, input)])
    }

    /// The question of a script's approval step.
    func stepRequest(_ step: Int, _ input: DecisionInput) -> EngineEvent? {
        guard case .script(let script) = submission.work, script.steps.indices.contains(step),
            case .approval(let approval) = script.steps[step]
        else { return nil }
        return .approvalRequested(
            ApprovalRequested(
                approvalID: input.approvalID, runID: id, step: step, purpose: .step,
                risk: approval.risk, requiredAuthLevel: approval.requiredAuthLevel,
                reason: approval.prompt, argumentsDigest: "", expiresAt: approval.expiresAt,
                escalateTo: approval.escalateTo))
    }

    func gateRequest(
        _ step: Int, _ call: PlannedCall, _ reason: String, _ input: DecisionInput
    ) -> EngineEvent {
        .approvalRequested(
            ApprovalRequested(
                approvalID: input.approvalID, runID: id, step: step, purpose: .gate,
                risk: call.risk, requiredAuthLevel: .least(for: call.risk), reason: reason,
                argumentsDigest: call.argumentsDigest))
    }

    func reconcileRequest(
        _ step: Int, _ call: PlannedCall, _ reason: String, _ input: DecisionInput
    ) -> EngineEvent {
        .approvalRequested(
            ApprovalRequested(
                approvalID: input.approvalID, runID: id, step: step, purpose: .reconcile,
                risk: call.risk, requiredAuthLevel: .least(for: call.risk),
                reason: """
                    It is unknown whether '\(call.tool)' took effect: \(reason) Find out, then \
                    approve if it did (with its output, where there is one), or reject if it did \
                    not: then it runs again with the same key, unless the run was cancelled before.
                    """,
                argumentsDigest: call.argumentsDigest))
    }

    /// The arguments of a step as they were submitted, and the label of the call.
    func template(_ step: Int) -> (JSONObject, String?) {
        switch submission.work {
        case .call(_, let arguments): return (arguments, nil)
        case .script(let script):
            guard script.steps.indices.contains(step),
                case .tool(_, let arguments, let callID) = script.steps[step]
            else { return (JSONObject(), nil) }
            return (arguments, callID)
        }
    }
}

extension PlannedCall {
    init(
        _ facts: ToolFacts, arguments: JSONObject, callID: String?, key: String, digest: String
    ) {
        self.init(
            tool: facts.name, arguments: arguments, argumentsDigest: digest, key: key,
            callID: callID, effect: facts.effect, risk: facts.risk,
            definitionDigest: facts.definitionDigest, upstream: facts.upstream?.name,
            replayOnCrash: facts.replayOnCrash, canReconcile: facts.canReconcile,
            settleMilliseconds: facts.settle.milliseconds,
            maximumAttempts: facts.maximumAttempts)
    }

    /// Follows the tool as it is now; the arguments and the key stay.
    mutating func take(_ facts: ToolFacts) {
        self = PlannedCall(
            facts, arguments: arguments, callID: callID, key: key, digest: argumentsDigest)
    }
}

extension Duration {
    /// Whole milliseconds, rounded down.
    public var milliseconds: Int64 {
        components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
    }
}
