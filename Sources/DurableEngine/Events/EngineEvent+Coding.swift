internal import DurableSecurity
public import OrderedJSON

extension EngineEvent {
    /// The name under which it is stored.
    public var type: String {
        switch self {
        case .runSubmitted: "run.submitted"
        case .runStarted: "run.started"
        case .runRecovered: "run.recovered"
        case .runParked: "run.parked"
        case .runCancelRequested: "run.cancelRequested"
        case .runEnded: "run.ended"
        case .messageAdded: "message.added"
        case .stepDecided: "step.decided"
        case .approvalRequested: "approval.requested"
        case .approvalResolved: "approval.resolved"
        case .approvalExpired: "approval.expired"
        case .effectIntent: "effect.intent"
        case .effectAttempt: "effect.attempt"
        case .effectRetry: "effect.retry"
        case .effectResult: "effect.result"
        case .effectUnknown: "effect.unknown"
        }
    }

    /// The version in which every event is written.
    ///
    /// Payloads are frozen once released: a changed shape gets a new version, and the old one is
    /// still read.
    public var version: Int { 1 }

    /// The run it belongs to.
    public var runID: RunID {
        switch self {
        case .runSubmitted(let event): event.runID
        case .runStarted(let id), .runRecovered(let id, _), .runParked(let id, _),
            .runCancelRequested(let id, _), .messageAdded(let id, _, _, _),
            .approvalExpired(let id, _, _), .effectAttempt(let id, _, _),
            .effectRetry(let id, _, _, _, _), .effectUnknown(let id, _, _, _):
            id
        case .runEnded(let event): event.runID
        case .stepDecided(let event): event.runID
        case .approvalRequested(let event): event.runID
        case .approvalResolved(let event): event.runID
        case .effectIntent(let event): event.runID
        case .effectResult(let event): event.runID
        }
    }

    /// What is stored of it.
    public var payload: JSONObject {
        var object: JSONObject = ["runId": .string(runID.rawValue)]
        func with(_ pairs: (String, JSONValue?)...) -> JSONObject {
            for case (let key, let value?) in pairs { object[key] = value }
            return object
        }
        return switch self {
        case .runStarted: object
        case .runSubmitted(let event):
            with(
                ("principal", .string(event.principal)), ("requestId", .optional(event.requestID)),
                ("payloadHash", .string(event.payloadHash)), ("work", .object(event.work.payload)),
                (
                    "upstreams",
                    event.upstreams.isEmpty ? nil : .array(event.upstreams.map(\.payload))
                ))
        case .runRecovered(_, let crashes): with(("crashes", .number(JSONNumber(crashes))))
        case .runParked(_, let reason): with(("reason", .string(reason)))
        case .runCancelRequested(_, let by): with(("by", .string(by)))
        case .runEnded(let event):
            with(
                ("status", .string(event.status.rawValue)),
                ("finalText", .optional(event.finalText)), ("error", .optional(event.error)))
        case .messageAdded(_, let step, let role, let text):
            with(
                ("step", .number(JSONNumber(step))), ("role", .string(role)),
                ("text", .string(text)))
        case .stepDecided(let event):
            with(
                ("step", .number(JSONNumber(event.step))), ("kind", .string(event.kind)),
                ("call", event.call.map { .object($0.payload) }))
        case .approvalRequested(let event):
            with(
                ("approvalId", .string(event.approvalID.rawValue)),
                ("step", .number(JSONNumber(event.step))),
                ("purpose", .string(event.purpose.rawValue)),
                ("risk", .string(event.risk.rawValue)),
                ("requiredAuthLevel", .string(event.requiredAuthLevel.rawValue)),
                ("reason", .string(event.reason)),
                ("argumentsDigest", .string(event.argumentsDigest)),
                ("expiresAt", .optional(event.expiresAt)),
                ("escalateTo", .optional(event.escalateTo)))
        case .approvalResolved(let event):
            with(
                ("approvalId", .string(event.approvalID.rawValue)),
                ("decision", .string(event.decision.rawValue)),
                ("approver", .string(event.approver)),
                ("level", .string(event.level.rawValue)), ("reason", .optional(event.reason)),
                ("output", event.output), ("argumentsDigest", .string(event.argumentsDigest)))
        case .approvalExpired(_, let id, let audience):
            with(
                ("approvalId", .string(id.rawValue)), ("escalatedTo", .optional(audience)))
        case .effectIntent(let event):
            with(
                ("step", .number(JSONNumber(event.step))), ("tool", .string(event.tool)),
                ("effect", .string(event.effect.rawValue)), ("key", .string(event.key)),
                ("argumentsDigest", .string(event.argumentsDigest)))
        case .effectAttempt(_, let step, let attempt):
            with(
                ("step", .number(JSONNumber(step))), ("attempt", .number(JSONNumber(attempt))))
        case .effectRetry(_, let step, let attempt, let reason, let at):
            with(
                ("step", .number(JSONNumber(step))), ("attempt", .number(JSONNumber(attempt))),
                ("reason", .string(reason)), ("at", .number(JSONNumber(at))))
        case .effectResult(let event):
            with(
                ("step", .number(JSONNumber(event.step))),
                ("attempt", .number(JSONNumber(event.attempt))),
                ("outcome", .string(event.outcome.rawValue)),
                ("origin", .string(event.origin.rawValue)), ("output", event.output),
                ("error", .optional(event.error)))
        case .effectUnknown(_, let step, let attempt, let reason):
            with(
                ("step", .number(JSONNumber(step))), ("attempt", .number(JSONNumber(attempt))),
                ("reason", .string(reason)))
        }
    }
}

extension EngineEvent {
    /// Reads any version ever released.
    ///
    /// - Throws: ``EngineError`` `.unreadableEvent` for what this version of the program does not
    ///   know.
    public init(type: String, version: Int, payload object: JSONObject) throws(EngineError) {
        let payload = EventPayload(object: object, type: type, version: version)
        let run = try payload.run()
        switch (type, version) {
        case ("run.submitted", 1): self = .runSubmitted(try RunSubmitted(payload))
        case ("run.started", 1): self = .runStarted(run)
        case ("run.recovered", 1):
            self = .runRecovered(run, crashes: try payload.integer("crashes"))
        case ("run.parked", 1): self = .runParked(run, reason: try payload.text("reason"))
        case ("run.cancelRequested", 1):
            self = .runCancelRequested(run, by: try payload.text("by"))
        case ("run.ended", 1):
            self = .runEnded(
                RunEnded(
                    runID: run, status: try payload.named("status"),
                    finalText: try payload.optionalText("finalText"),
                    error: try payload.optionalText("error")))
        case ("message.added", 1):
            self = .messageAdded(
                run, step: try payload.integer("step"), role: try payload.text("role"),
                text: try payload.text("text"))
        case ("step.decided", 1):
            let call = object["call"] == nil ? nil : try payload.object("call")
            self = .stepDecided(
                StepDecided(
                    runID: run, step: try payload.integer("step"), kind: try payload.text("kind"),
                    call: try call.map { (call) throws(EngineError) in
                        try PlannedCall(payload.inner(call))
                    }))
        case ("approval.requested", 1): self = .approvalRequested(try ApprovalRequested(payload))
        case ("approval.resolved", 1): self = .approvalResolved(try ApprovalResolved(payload))
        case ("approval.expired", 1):
            self = .approvalExpired(
                run, try payload.approval(), escalatedTo: try payload.optionalText("escalatedTo"))
        default: self = try Self.effect(run, payload)
        }
    }

    private static func effect(
        _ run: RunID, _ payload: EventPayload
    ) throws(EngineError) -> EngineEvent {
        switch (payload.type, payload.version) {
        case ("effect.intent", 1):
            .effectIntent(
                EffectIntent(
                    runID: run, step: try payload.integer("step"), tool: try payload.text("tool"),
                    effect: try payload.named("effect"), key: try payload.text("key"),
                    argumentsDigest: try payload.text("argumentsDigest")))
        case ("effect.attempt", 1):
            .effectAttempt(
                run, step: try payload.integer("step"), attempt: try payload.integer("attempt"))
        case ("effect.retry", 1):
            .effectRetry(
                run, step: try payload.integer("step"), attempt: try payload.integer("attempt"),
                reason: try payload.text("reason"), at: Int64(try payload.integer("at")))
        case ("effect.result", 1):
            .effectResult(
                EffectResult(
                    runID: run, step: try payload.integer("step"),
                    attempt: try payload.integer("attempt"),
                    outcome: try payload.named("outcome"), origin: try payload.named("origin"),
                    output: payload.object["output"], error: try payload.optionalText("error")))
        case ("effect.unknown", 1):
            .effectUnknown(
                run, step: try payload.integer("step"), attempt: try payload.integer("attempt"),
                reason: try payload.text("reason"))
        default:
            throw .unreadableEvent(payload.type, payload.version, "its type is not known")
        }
    }
}
