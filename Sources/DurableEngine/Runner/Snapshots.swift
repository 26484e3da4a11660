public import DurableLog
internal import DurableSecurity
public import OrderedJSON

/// A run as people and clients see it.
public struct RunSnapshot: Hashable, Sendable {
    /// Its conversation.
    public var conversationID: ConversationID
    /// Its state, as its events tell it.
    public var run: RunState
    /// The approval it waits for.
    public var approval: ApprovalState?

    /// Its id.
    public var id: RunID { run.id }
    /// Where it stands.
    public var status: RunStatus { run.status }
    /// Who submitted it.
    public var principal: String { run.submission.principal }
    /// What it has to say, where it completed.
    public var finalText: String? { run.ending?.finalText }
    /// What went wrong, where it failed.
    public var error: String? { run.ending?.error }

    /// Whether it stands still until somebody outside acts, or for good.
    public var isSettled: Bool {
        switch status {
        case .completed, .failed, .cancelled, .parked, .waiting: true
        case .cancelling: run.pendingApproval != nil
        case .queued, .running, .compensating: false
        }
    }

    /// What it waits for, in data; nil where it waits for nothing.
    public var waitingOn: JSONObject? {
        if let approval {
            return JSONObject(present: [
                ("kind", "approval"), ("purpose", .string(approval.request.purpose.rawValue)),
                ("approvalId", .string(approval.request.approvalID.rawValue)),
                ("reason", .string(approval.request.reason)),
                ("since", .string(Timestamp(milliseconds: approval.requestedAt).text)),
            ])
        }
        if let reason = run.parkedReason, run.ending == nil {
            return ["kind": "parked", "reason": .string(reason)]
        }
        if run.ending == nil, case .retrying(let next, let at, let reason) = run.steps.last?.phase {
            return [
                "kind": "retry", "attempt": .number(JSONNumber(next)),
                "at": .string(Timestamp(milliseconds: at).text), "reason": .string(reason),
            ]
        }
        return nil
    }

    /// The result of its one call, for a direct call that is settled.
    public var callResult: JSONValue? { run.isScript ? nil : run.steps.first?.output }
}

extension ConversationState {
    func snapshot(_ id: RunID) -> RunSnapshot? {
        runs[id].map { run in
            RunSnapshot(
                conversationID: self.id, run: run,
                approval: run.pendingApproval.flatMap { approvals[$0] })
        }
    }
}

/// One line of a list of runs.
public struct RunSummary: Hashable, Sendable {
    /// The run.
    public var runID: RunID
    /// Its conversation.
    public var conversationID: ConversationID
    /// Who submitted it.
    public var principal: String
    /// Where it stands.
    public var status: RunStatus
    /// Its tool, for a direct call.
    public var tool: String?
    /// When it was submitted, in milliseconds since 1970.
    public var submittedAt: Int64
    /// When something last happened, in milliseconds since 1970.
    public var updatedAt: Int64
    /// What went wrong, where it failed.
    public var error: String?
}

/// One line of a list of approvals that wait.
public struct PendingApproval: Hashable, Sendable {
    /// What is asked.
    public var request: ApprovalRequested
    /// When, in milliseconds since 1970.
    public var requestedAt: Int64
    /// Whom it is addressed to; anybody with the role where nil.
    public var audience: String?
    /// Who submitted the run that waits.
    public var principal: String
    /// The call it is about.
    public var call: PlannedCall?

    init(_ approval: ApprovalState, run: RunState) {
        request = approval.request
        requestedAt = approval.requestedAt
        audience = approval.audience
        request.expiresAt = approval.expiresAt
        principal = run.submission.principal
        call = run.steps.indices.contains(request.step) ? run.steps[request.step].call : nil
    }

    var json: JSONObject {
        var object = EngineEvent.approvalRequested(request).payload
        object["requestedAt"] = .number(JSONNumber(requestedAt))
        object["audience"] = .optional(audience)
        object["principal"] = .string(principal)
        object["call"] = call.map { .object($0.payload) }
        return object
    }

    init(_ object: JSONObject) throws(EngineError) {
        let payload = EventPayload(object: object, type: "approval.requested", version: 1)
        request = try ApprovalRequested(payload)
        requestedAt = Int64(try payload.integer("requestedAt"))
        audience = try payload.optionalText("audience")
        principal = try payload.text("principal")
        call =
            object["call"] == nil
            ? nil : try PlannedCall(payload.inner(try payload.object("call")))
    }
}

/// One page of a list.
public struct Page<Element: Sendable>: Sendable {
    /// The entries, in the list's order.
    public var entries: [Element]
    /// Where the next page begins, or nil at the end; opaque.
    public var next: String?
}
