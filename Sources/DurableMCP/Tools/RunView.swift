package import DurableEngine
internal import DurableLog
internal import DurableSecurity
internal import MCPProtocol
package import OrderedJSON

/// A run in the form that clients read.
package struct RunView {
    /// How many bytes of results are shown with a run: they go out as text and as structure.
    private static let outputBytes = 28 << 10
    /// How many steps are shown.
    private static let stepLimit = 100
    /// How many characters of a step's text or error are shown.
    private static let textLimit = 2_000
    /// How long a run may stand still before it is looked up why, in milliseconds.
    private static let stillness: Int64 = 2_000

    let snapshot: RunSnapshot
    /// A tool that the run needs and that cannot be used here, and why.
    private let missing: (tool: String, reason: String)?

    /// Whether everything is shown, however long.
    private let isWhole: Bool

    /// All of a run, for one who works on the store and has no tools.
    package init(whole snapshot: RunSnapshot) {
        self.snapshot = snapshot
        missing = nil
        isWhole = true
    }

    /// A run that may stand still for want of a tool.
    init(_ snapshot: RunSnapshot, tools: some ToolSource, now: Int64) async {
        self.snapshot = snapshot
        var missing: (String, String)?
        if snapshot.status == .running, now - snapshot.run.updatedAt >= Self.stillness,
            let tool = snapshot.run.neededTool,
            case .unavailable(let reason) = await tools.tool(named: tool)
        {
            missing = (tool, reason)
        }
        self.missing = missing
        isWhole = false
    }

    /// What `get_run_status` gives.
    package var json: JSONObject {
        var json: JSONObject = [
            "runId": .string(snapshot.id.rawValue),
            "conversationId": .string(snapshot.conversationID.rawValue),
            "status": .string(snapshot.status.rawValue),
        ]
        json["finalText"] = snapshot.finalText.map(JSONValue.string)
        json["error"] = snapshot.error.map(JSONValue.string)
        json["waitingOn"] = waitingOn.map(JSONValue.object)
        json["hint"] = hint.map(JSONValue.string)
        let steps = snapshot.run.steps
        let omitted = isWhole ? 0 : max(0, steps.count - Self.stepLimit)
        if omitted > 0 { json["stepsOmitted"] = .number(JSONNumber(omitted)) }
        var bytesLeft = isWhole ? .max : Self.outputBytes
        json["steps"] = .array(
            steps.indices.dropFirst(omitted).map { .object(step($0, steps[$0], &bytesLeft)) })
        return json
    }

    private var waitingOn: JSONObject? {
        if let waiting = snapshot.waitingOn { return waiting }
        return missing.map {
            ["kind": "tool", "tool": .string($0.tool), "reason": .string($0.reason)]
        }
    }

    private func step(
        _ index: Int, _ step: StepState, _ bytesLeft: inout Int
    ) -> JSONObject {
        var json: JSONObject = [
            "index": .number(JSONNumber(index)), "kind": .string(step.kind),
        ]
        json["text"] = step.text.map { .string($0.cut(to: isWhole ? .max : Self.textLimit)) }
        json["tool"] = step.call.map { .string($0.tool) }
        json["callId"] = step.call?.callID.map(JSONValue.string)
        json["effect"] = step.call.map { .string($0.effect.rawValue) }
        json["outcome"] = .string(step.phase.outcome)
        if case .done(_, _, let error?) = step.phase {
            json["error"] = .string(error.cut(to: isWhole ? .max : Self.textLimit))
        }
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
        if let missing {
            return "Nothing here can run this now. \(missing.reason) Cancel it with cancel_run, "
                + "or wait."
        }
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
            "stepsOmitted": [
                "type": "integer", "description": "How many earlier steps are not shown.",
            ],
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

extension String {
    /// At most so many characters, with a sign that there were more.
    func cut(to limit: Int) -> String { count <= limit ? self : prefix(limit - 1) + "…" }
}

extension RunState {
    /// The tool of the call that comes next, where one does.
    fileprivate var neededTool: String? {
        switch steps.last?.phase {
        case .planned, .ready, .retrying: return steps.last?.call?.tool
        case .done, nil: break
        case .awaiting, .running, .unknown: return nil
        }
        switch submission.work {
        case .call(let tool, _): return steps.isEmpty ? tool : nil
        case .script(let script):
            guard script.steps.indices.contains(steps.count),
                case .tool(let tool, _, _) = script.steps[steps.count]
            else { return nil }
            return tool
        }
    }
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
