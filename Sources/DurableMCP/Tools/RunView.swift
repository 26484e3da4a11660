internal import DurableEngine
internal import DurableLog
internal import DurableSecurity
internal import MCPProtocol
internal import OrderedJSON

/// A run in the form that clients read.
struct RunView {
    /// How many bytes of results are shown with a run.
    private static let outputBytes = 48 << 10

    let snapshot: RunSnapshot

    var json: JSONObject {
        var json: JSONObject = [
            "runId": .string(snapshot.id.rawValue),
            "conversationId": .string(snapshot.conversationID.rawValue),
            "status": .string(snapshot.status.rawValue),
        ]
        json["finalText"] = snapshot.finalText.map(JSONValue.string)
        json["error"] = snapshot.error.map(JSONValue.string)
        json["waitingOn"] = snapshot.waitingOn.map(JSONValue.object)
        json["hint"] = hint.map(JSONValue.string)
        var bytesLeft = Self.outputBytes
        json["steps"] = .array(
            snapshot.run.steps.enumerated().map { .object(step($0, $1, &bytesLeft)) })
        return json
    }

    private func step(
        _ index: Int, _ step: StepState, _ bytesLeft: inout Int
    ) -> JSONObject {
        var json: JSONObject = [
            "index": .number(JSONNumber(index)), "kind": .string(step.kind),
        ]
        json["text"] = step.text.map(JSONValue.string)
        json["tool"] = step.call.map { .string($0.tool) }
        json["callId"] = step.call?.callID.map(JSONValue.string)
        json["effect"] = step.call.map { .string($0.effect.rawValue) }
        json["outcome"] = .string(step.phase.outcome)
        if case .done(_, _, let error?) = step.phase { json["error"] = .string(error) }
        if let output = step.output {
            let bytes = output.serialized().count
            if bytes <= bytesLeft {
                bytesLeft -= bytes
                json["output"] = output
            } else {
                json["outputOmitted"] = "It has \(bytes) bytes, too many to show here."
            }
        }
        return json
    }

    /// What to do about a run that does not go on by itself.
    private var hint: String? {
        if let approval = snapshot.approval { return ApprovalHint(approval.request).text }
        switch snapshot.status {
        case .queued, .running, .cancelling, .compensating:
            return "It goes on. Call get_run_status with 'waitSeconds' to wait for it."
        case .parked: return "It was put aside. Cancel it with cancel_run."
        case .waiting, .completed, .failed, .cancelled: return nil
        }
    }

    /// The schema of ``json``.
    static let schema = ObjectSchema(
        [
            "runId": ObjectSchema.text("The run's id."),
            "conversationId": ObjectSchema.text("The conversation it belongs to."),
            "status": ObjectSchema.choice(RunStatus.names, "Where it stands."),
            "finalText": ObjectSchema.text("What it has to say, once it completed."),
            "error": ObjectSchema.text("What went wrong, where it failed."),
            "waitingOn": [
                "type": "object",
                "description": "What it waits for, such as an approval and its id.",
            ],
            "hint": ObjectSchema.text("What to do next."),
            "steps": ObjectSchema.list(of: stepSchema.value, "What it has done, in order."),
            "usage": ["type": "object", "description": "What it has used up."],
        ],
        required: ["runId", "conversationId", "status", "steps"])

    private static let stepSchema = ObjectSchema(
        [
            "index": ["type": "integer", "minimum": 0],
            "kind": ObjectSchema.text("The script's key, such as 'tool'."),
            "text": ObjectSchema.text("Its text, where it has one."),
            "tool": ObjectSchema.text("The tool it calls."),
            "callId": ObjectSchema.text("The label that the script gave the call."),
            "effect": ObjectSchema.choice(
                EffectKind.allCases.map(\.rawValue), "What may be done after a crash."),
            "outcome": ObjectSchema.choice(
                ["running", "waiting", "succeeded", "failed", "unknown", "denied"],
                "How it ended, or stands."),
            "error": ObjectSchema.text("What went wrong."),
            "output": ["type": "object", "description": "The whole result of the tool."],
            "outputOmitted": ObjectSchema.text("Why the result is not shown."),
        ],
        required: ["index", "kind", "outcome"])
}

extension RunStatus {
    static let names = allCases.map(\.rawValue)
}

extension StepState.Phase {
    /// The word for it that clients read.
    fileprivate var outcome: String {
        switch self {
        case .planned, .ready, .running, .retrying: "running"
        case .awaiting(_, unknown: nil): "waiting"
        case .awaiting, .unknown: "unknown"
        case .done(let outcome, _, _): outcome.rawValue
        }
    }
}

/// How a person decides an approval; for models to hand on.
struct ApprovalHint {
    let request: ApprovalRequested

    init(_ request: ApprovalRequested) { self.request = request }

    var text: String {
        let id = request.approvalID.rawValue
        switch request.purpose {
        case .gate, .step:
            return """
                A person must decide this: ask them to run 'durable-mcp approve \(id)', or \
                'durable-mcp reject \(id)', in a terminal.\(level) Do not try another way. Then \
                call get_run_status with runId '\(request.runID)'.
                """
        case .reconcile:
            return """
                A person must find out whether it happened, and then run 'durable-mcp approve \
                \(id)' if it did, or 'durable-mcp reject \(id)' if it did not (it then runs \
                again).\(level) Do not repeat the call: it may happen twice. Then call \
                get_run_status with runId '\(request.runID)'.
                """
        }
    }

    private var level: String {
        guard request.requiredAuthLevel > .session else { return "" }
        let level = request.requiredAuthLevel.rawValue
        return " It needs the level '\(level)': a token that was given it."
    }
}
