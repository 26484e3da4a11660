public import DurableLog
internal import OrderedJSON

/// One conversation, as its events tell it.
///
/// It changes by ``fold(_:at:)`` alone. The `decide…` functions beside it read it and say which
/// events come next; they know no clock, no randomness and no I/O.
public struct ConversationState: Hashable, Sendable {
    /// Names a submission among those of one conversation.
    struct SubmissionKey: Hashable {
        var principal: String
        var requestID: String
    }

    /// Its id.
    public let id: ConversationID
    /// The runs by id.
    public private(set) var runs: [RunID: RunState] = [:]
    /// The ids of the runs, in the order they were submitted.
    public private(set) var order: [RunID] = []
    /// The approvals by id, settled ones too.
    public private(set) var approvals: [ApprovalID: ApprovalState] = [:]
    /// The time of the last event, in milliseconds since 1970.
    public private(set) var lastTime: Int64 = 0

    private var submissions: [SubmissionKey: RunID] = [:]
    private var endedCount = 0

    /// A conversation without events.
    public init(id: ConversationID) { self.id = id }

    /// The run whose turn it is: the first that has not ended.
    public var active: RunState? {
        endedCount < order.count ? runs[order[endedCount]] : nil
    }

    /// The run that this principal submitted under this request id.
    func submission(_ principal: String, _ requestID: String) -> RunState? {
        submissions[SubmissionKey(principal: principal, requestID: requestID)].flatMap { runs[$0] }
    }

    /// Takes in one event.
    ///
    /// An event of a run it does not know changes nothing.
    public mutating func fold(_ event: EngineEvent, at time: Int64) {
        lastTime = max(lastTime, time)
        if case .runSubmitted(let submitted) = event {
            runs[submitted.runID] = RunState(submitted, at: time)
            order.append(submitted.runID)
            if let requestID = submitted.requestID {
                let key = SubmissionKey(principal: submitted.principal, requestID: requestID)
                submissions[key] = submitted.runID
            }
            return
        }
        foldApproval(event, at: time)
        runs[event.runID]?.fold(event, at: time, approvals: approvals)
        while let run = active, run.ending != nil { endedCount += 1 }
    }

    private mutating func foldApproval(_ event: EngineEvent, at time: Int64) {
        switch event {
        case .approvalRequested(let request):
            approvals[request.approvalID] = ApprovalState(
                request: request, requestedAt: time, expiresAt: request.expiresAt)
        case .approvalResolved(let resolution):
            approvals[resolution.approvalID]?.resolution = resolution
        case .approvalExpired(_, let id, let audience?):
            approvals[id]?.audience = audience
            approvals[id]?.expiresAt = nil
        case .approvalExpired(_, let id, nil):
            approvals[id]?.isExpired = true
        default: break
        }
    }
}

extension RunState {
    mutating func fold(
        _ event: EngineEvent, at time: Int64, approvals: [ApprovalID: ApprovalState]
    ) {
        updatedAt = max(updatedAt, time)
        switch event {
        case .runSubmitted: break
        case .runStarted: isStarted = true
        case .runRecovered(_, let count): crashes = count
        case .runParked(_, let reason): parkedReason = reason
        case .runCancelRequested(_, let by): cancelRequestedBy = by
        case .runEnded(let end):
            ending = end
            crashes = 0
        case .messageAdded(_, let step, _, let text):
            set(
                step,
                StepState(
                    kind: "assistant", text: text,
                    phase: .done(.succeeded, output: nil, error: nil)))
        case .stepDecided(let decided):
            let settled = decided.kind == "finish"
            set(
                decided.step,
                StepState(
                    kind: decided.kind, call: decided.call,
                    phase: settled ? .done(.succeeded, output: nil, error: nil) : .planned))
        case .approvalRequested(let request):
            guard steps.indices.contains(request.step) else { return }
            if request.purpose == .step { steps[request.step].text = request.reason }
            steps[request.step].phase = .awaiting(
                request.approvalID, unknown: steps[request.step].phase.attempt)
        case .approvalResolved(let resolution):
            foldResolution(resolution, approvals[resolution.approvalID]?.request, at: time)
        case .approvalExpired(_, let id, nil):
            guard let request = approvals[id]?.request, steps.indices.contains(request.step)
            else { return }
            steps[request.step].phase = .done(
                .denied, output: nil, error: "Nobody decided the approval '\(id)' in time.")
        case .approvalExpired: break
        case .effectIntent(let intent):
            setPhase(intent.step, .running(.init(number: 1, startedAt: time)))
            crashes = 0
        case .effectAttempt(_, let step, let attempt):
            // A recovery marker: it is no progress, and so keeps the count of crashes.
            setPhase(step, .running(.init(number: attempt, startedAt: time)))
        case .effectRetry(_, let step, let attempt, let reason, let at):
            setPhase(step, .retrying(next: attempt + 1, at: at, reason: reason))
        case .effectResult(let result):
            let outcome: StepState.Outcome = result.outcome == .succeeded ? .succeeded : .failed
            setPhase(result.step, .done(outcome, output: result.output, error: result.error))
            crashes = 0
        case .effectUnknown(_, let step, let attempt, let reason):
            let startedAt =
                steps.indices.contains(step) ? steps[step].phase.attempt?.startedAt : nil
            setPhase(
                step,
                .unknown(.init(number: attempt, startedAt: startedAt ?? time), reason: reason))
        }
    }

    private mutating func foldResolution(
        _ resolution: ApprovalResolved, _ request: ApprovalRequested?, at time: Int64
    ) {
        guard let request, steps.indices.contains(request.step) else { return }
        switch (resolution.decision, request.purpose) {
        case (.approved, .gate): steps[request.step].phase = .ready
        case (.approved, .step):
            steps[request.step].phase = .done(.succeeded, output: nil, error: nil)
        case (.rejected, .gate), (.rejected, .step), (.withdrawn, _):
            let reason = resolution.reason.map { ": \($0)" } ?? "."
            let verb = resolution.decision == .withdrawn ? "Withdrawn" : "Denied"
            steps[request.step].phase = .done(
                .denied, output: nil, error: "\(verb) by \(resolution.approver)\(reason)")
        // An `effect.result` or `effect.retry` follows, and says the same.
        case (.approved, .reconcile):
            steps[request.step].phase = .done(.succeeded, output: resolution.output, error: nil)
        case (.rejected, .reconcile):
            let attempt = steps[request.step].phase.attempt?.number ?? 1
            steps[request.step].phase = .retrying(
                next: attempt + 1, at: time, reason: "it is said not to have happened")
        }
        crashes = 0
    }

    private mutating func set(_ index: Int, _ step: StepState) {
        if index == steps.count {
            steps.append(step)
        } else if steps.indices.contains(index) {
            steps[index] = step
        }
        crashes = 0
    }

    private mutating func setPhase(_ index: Int, _ phase: StepState.Phase) {
        if steps.indices.contains(index) { steps[index].phase = phase }
    }
}

extension StepState.Phase {
    /// The attempt that is under way or whose outcome is unknown.
    var attempt: StepState.Attempt? {
        switch self {
        case .running(let attempt), .unknown(let attempt, _): attempt
        case .awaiting(_, let attempt): attempt
        case .planned, .ready, .retrying, .done: nil
        }
    }
}
