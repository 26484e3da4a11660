public import DurableSecurity
public import OrderedJSON

/// An answer to an approval, with who gives it as the caller's transport knows them.
public struct ApprovalAnswer: Hashable, Sendable {
    /// The approval.
    public var approvalID: ApprovalID
    /// Whether the answer is yes.
    public var approves: Bool
    /// Who answers: an authenticated principal with the role `approve`.
    public var approver: Principal
    /// What they have to say.
    public var reason: String?
    /// What the call gave, for a reconciliation.
    public var output: JSONValue?
    /// The digest of the arguments they have seen; compared where given.
    public var argumentsDigest: String?

    /// An answer of these parts.
    public init(
        approvalID: ApprovalID, approves: Bool, approver: Principal, reason: String? = nil,
        output: JSONValue? = nil, argumentsDigest: String? = nil
    ) {
        self.approvalID = approvalID
        self.approves = approves
        self.approver = approver
        self.reason = reason
        self.output = output
        self.argumentsDigest = argumentsDigest
    }
}

extension ConversationState {
    /// What a submission gave.
    enum SubmitDecision: Hashable {
        /// It is new.
        case new([EngineEvent])
        /// It was made before.
        case existing(RunID)
    }

    /// Accepts a run, or finds the one that the same request made before.
    func decideSubmit(_ submission: RunSubmitted) throws(EngineError) -> SubmitDecision {
        if let requestID = submission.requestID,
            let earlier = self.submission(submission.principal, requestID)
        {
            guard earlier.submission.payloadHash == submission.payloadHash else {
                throw .requestIDReused(requestID)
            }
            return .existing(earlier.id)
        }
        return .new([.runSubmitted(submission)])
    }

    /// Takes an answer, once, from somebody allowed to give it, for what was shown.
    func decideAnswer(_ answer: ApprovalAnswer, now: Int64) throws(EngineError) -> [EngineEvent] {
        guard let approval = approvals[answer.approvalID],
            let run = runs[approval.request.runID]
        else { throw .unknownApproval(answer.approvalID) }
        guard approval.isPending, run.ending == nil else {
            throw .alreadyResolved(answer.approvalID, approval.status)
        }
        if let expiresAt = approval.expiresAt, expiresAt <= now, approval.request.escalateTo == nil
        {
            throw .alreadyResolved(answer.approvalID, "expired")
        }
        let request = approval.request
        try approval.checkMayDecide(answer.approver)
        if let digest = answer.argumentsDigest, digest != request.argumentsDigest {
            throw EngineError(
                code: .digestMismatch,
                message: """
                    The approval '\(answer.approvalID)' is for other arguments than those you \
                    name. Read it again, and decide on what it shows.
                    """)
        }
        if let call = run.steps[request.step].call,
            call.argumentsDigest != request.argumentsDigest
        {
            throw EngineError(
                code: .digestMismatch,
                message: "What would run is not what '\(answer.approvalID)' shows.")
        }
        if answer.output != nil, request.purpose != .reconcile {
            throw .wrongState("'output' is only for a call whose outcome is unknown.")
        }
        let resolved = EngineEvent.approvalResolved(
            ApprovalResolved(
                approvalID: request.approvalID, runID: run.id,
                decision: answer.approves ? .approved : .rejected, approver: answer.approver.id,
                level: answer.approver.authLevel, reason: answer.reason, output: answer.output,
                argumentsDigest: request.argumentsDigest))
        guard request.purpose == .reconcile else { return [resolved] }
        let attempt = run.steps[request.step].phase.attempt?.number ?? 1
        let follows: EngineEvent =
            answer.approves
            ? .effectResult(
                EffectResult(
                    runID: run.id, step: request.step, attempt: attempt, outcome: .succeeded,
                    origin: .person, output: answer.output, error: nil))
            : .effectRetry(
                run.id, step: request.step, attempt: attempt,
                reason: "\(answer.approver.id) said that it has not happened", at: now)
        return [resolved, follows]
    }

    /// Wants a run to end, at its next safe point.
    func decideCancel(_ id: RunID, by: String) throws(EngineError) -> [EngineEvent] {
        guard let run = runs[id] else { throw .unknownRun(id) }
        guard run.ending == nil else {
            throw .wrongState("The run '\(id)' has ended already: it is \(run.status.rawValue).")
        }
        if run.cancelRequestedBy != nil { return [] }
        let requested = EngineEvent.runCancelRequested(id, by: by)
        // A run that is not the active one, or was put aside, has nothing under way.
        let isIdle = active?.id != id || run.parkedReason != nil
        return isIdle ? [requested, run.ended(.cancelled)] : [requested]
    }

    /// Lets an approval expire whose time has come: it is addressed to others, or fails.
    func decideExpiry(_ id: ApprovalID, now: Int64) -> [EngineEvent] {
        guard let approval = approvals[id], approval.isPending,
            let expiresAt = approval.expiresAt, expiresAt <= now
        else { return [] }
        return [
            .approvalExpired(
                approval.request.runID, id, escalatedTo: approval.request.escalateTo)
        ]
    }
}

extension ApprovalState {
    /// Whether this principal may give an answer.
    func checkMayDecide(_ approver: Principal) throws(EngineError) {
        guard approver.has(.approve) else {
            throw .notAllowed(
                """
                '\(approver.id)' has not the role 'approve'. A person decides: \
                'durable-mcp approve \(request.approvalID)' in a terminal.
                """)
        }
        guard approver.authLevel >= request.requiredAuthLevel else {
            throw .notAllowed(
                """
                This needs the level '\(request.requiredAuthLevel.rawValue)', and \
                '\(approver.id)' has '\(approver.authLevel.rawValue)'.
                """)
        }
        if let audience, audience != approver.id, !approver.has(.admin) {
            throw .notAllowed("This is for '\(audience)' to decide.")
        }
    }
}
