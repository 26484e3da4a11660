package import DurableEngine
internal import DurableLog
internal import DurableSecurity
internal import JSONSchema
internal import MCPProtocol
package import OrderedJSON

/// The tools that start runs and look after them.
struct RunTools: Sendable {
    let engine: Engine
    let catalogue: Catalogue
    let clock: any EngineClock

    var all: [OwnTool] { [startRun, getRunStatus, listRuns, cancelRun] }

    private static let waitSeconds = ObjectSchema.integer(
        0...50, "How long to wait for its end, or for it to stand still; 0 by default.")
    private static let runID = ObjectSchema.text("A run's id, 'run_…'.")

    // MARK: start_run

    private var startRun: OwnTool {
        OwnTool(
            "start_run", title: "Start a durable run",
            """
            Starts a script of steps that survives crashes: each step is journaled before and \
            after it happens, and no side effect is repeated by accident. 'script' is \
            {"steps": [...]}, each step an object with one of: 'assistant' (text), 'tool' (a \
            tool's name; with 'arguments', 'callId'), 'approval' (a question to a person; with \
            'risk', 'requiredAuthLevel', 'expiresAt', 'escalateTo'), 'finish' (the final text). \
            A string '${steps.N.output#/json/pointer}' inside arguments takes a value from an \
            earlier step's result, such as '${steps.0.output#/structuredContent/id}'. Give a \
            'requestId' of your own, and the same again when you retry: then it is one run, \
            however often you ask. The run goes on without you; get_run_status tells how it stands.
            """,
            in: .runs, roles: [.use],
            hints: ToolAnnotations(
                readOnly: false, destructive: true, idempotent: false, openWorld: true),
            input: ObjectSchema(
                [
                    "script": [
                        "type": "object",
                        "description": "The steps, in order.",
                        "properties": [
                            "steps": [
                                "type": "array", "minItems": 1, "items": ["type": "object"],
                            ]
                        ],
                        "required": ["steps"],
                    ],
                    "conversationId": ObjectSchema.text(
                        "A conversation of yours to go on with; a new one by default."),
                    "requestId": [
                        "type": "string", "minLength": 1, "maxLength": 256,
                        "description": "Your id of this piece of work; a retry bears the same.",
                    ],
                    "whenBusy": ObjectSchema.choice(
                        ["queue"], "What to do while the conversation has another run."),
                    "waitSeconds": Self.waitSeconds,
                ],
                required: ["script"]),
            output: RunView.schema
        ) { call in
            let script = try Script(call.arguments["script"]?.objectValue ?? [:])
            for name in script.toolNames {
                await catalogue.awaitFirstSight(ofToolNamed: name)
            }
            try checkArguments(of: script)
            let id = try await engine.submit(
                RunRequest(
                    work: .script(script),
                    conversationID: call.text("conversationId").map(ConversationID.init),
                    requestID: try call.requestID()),
                by: call.principal)
            let snapshot = try await engine.wait(
                for: id, visibleTo: call.principal, until: deadline(of: call), since: nil)
            return .structured(
                await view(snapshot).json, isError: snapshot.status == .failed)
        }
    }

    /// Checks what can be checked before anything is journaled: arguments without templates.
    private func checkArguments(of script: Script) throws {
        for (index, step) in script.steps.enumerated() {
            guard case .tool(let name, let arguments, _) = step,
                let item = catalogue.item(named: name),
                !JSONValue.object(arguments).text.contains("${steps."),
                let problem = item.problem(with: arguments)
            else { continue }
            throw ToolRefusal("steps[\(index)]: \(problem)")
        }
    }

    // MARK: get_run_status

    private var getRunStatus: OwnTool {
        OwnTool(
            "get_run_status", title: "Look at a run",
            """
            Tells how a run stands: its status, what it waits for, each step with its outcome and \
            result, and its final text. With 'waitSeconds' it returns as soon as the run ends or \
            its status changes, or in time. Call it again until the status is 'completed', \
            'failed' or 'cancelled'; where it is 'waiting', 'hint' says who must do what.
            """,
            in: .runs, roles: [.use, .operate, .audit], hints: .looking,
            input: ObjectSchema(
                ["runId": Self.runID, "waitSeconds": Self.waitSeconds], required: ["runId"]),
            output: RunView.schema
        ) { call in
            let now = try await engine.run(call.runID, visibleTo: call.principal)
            guard !now.status.isEnded, let deadline = deadline(of: call), deadline > clock.now()
            else { return .structured(await view(now).json) }
            let later = try await engine.wait(
                for: call.runID, visibleTo: call.principal, until: deadline, since: now.status)
            return .structured(await view(later).json)
        }
    }

    // MARK: list_runs

    private var listRuns: OwnTool {
        OwnTool(
            "list_runs", title: "List runs",
            """
            Lists your runs, newest first: direct calls of tools as well as scripts. Use it to \
            find a run whose id was lost, or those that wait. 'nextCursor', where there is one, \
            goes into 'cursor' for the next page.
            """,
            in: .runs, roles: [.use, .operate, .audit], hints: .looking,
            input: ObjectSchema([
                "status": ObjectSchema.choice(RunStatus.names, "Only runs that stand so."),
                "limit": ObjectSchema.integer(1...100, "How many at most; 20 by default."),
                "cursor": ObjectSchema.text("What the page before gave as 'nextCursor'."),
            ]),
            output: ObjectSchema(
                [
                    "runs": ObjectSchema.list(of: Self.summarySchema.value, "Newest first."),
                    "nextCursor": ObjectSchema.text("Where the next page begins."),
                ],
                required: ["runs"])
        ) { call in
            let page = try await engine.runs(
                visibleTo: call.principal, status: call.text("status").flatMap(RunStatus.init),
                limit: call.integer("limit") ?? 20, cursor: call.text("cursor"))
            var json: JSONObject = ["runs": .array(page.entries.map { .object($0.json) })]
            json["nextCursor"] = page.next.map(JSONValue.string)
            return .structured(json)
        }
    }

    private static let summarySchema = ObjectSchema(
        [
            "runId": runID,
            "conversationId": ObjectSchema.text("The conversation it belongs to."),
            "principal": ObjectSchema.text("Who started it."),
            "status": ObjectSchema.choice(RunStatus.names, "Where it stands."),
            "tool": ObjectSchema.text("Its tool, for a direct call."),
            "error": ObjectSchema.text("What went wrong, where it failed."),
            "submittedAt": ObjectSchema.text("When it was started."),
            "updatedAt": ObjectSchema.text("When something last happened."),
        ],
        required: [
            "runId", "conversationId", "principal", "status", "submittedAt", "updatedAt",
        ])

    // MARK: cancel_run

    private var cancelRun: OwnTool {
        OwnTool(
            "cancel_run", title: "Cancel a run",
            """
            Ends a run of yours at its next safe point. A call that is under way is told and \
            awaited, so the status may be 'cancelling' for a while; what has been done is not \
            undone. A run that has ended cannot be cancelled.
            """,
            in: .runs, roles: [.operate],
            hints: ToolAnnotations(
                readOnly: false, destructive: true, idempotent: true, openWorld: false),
            input: ObjectSchema(["runId": Self.runID], required: ["runId"]),
            output: RunView.schema
        ) { call in
            let run = try await engine.run(call.runID, visibleTo: call.principal)
            guard run.principal == call.principal.id || call.principal.has(.admin) else {
                throw ToolRefusal(
                    "The run '\(run.id)' belongs to '\(run.principal)', who alone may cancel it.")
            }
            try await engine.cancel(call.runID, by: call.principal)
            let snapshot = try await engine.run(call.runID, visibleTo: call.principal)
            return .structured(await view(snapshot).json)
        }
    }

    private func view(_ snapshot: RunSnapshot) async -> RunView {
        await RunView(snapshot, tools: catalogue, now: clock.now())
    }

    private func deadline(of call: OwnCall) -> Int64? {
        clock.now() + Int64(call.integer("waitSeconds") ?? 0) * 1000
    }
}

extension ToolAnnotations {
    /// For a tool that only looks at our own log.
    static let looking = ToolAnnotations(
        readOnly: true, destructive: false, idempotent: true, openWorld: false)
}

extension RunSummary {
    /// What `list_runs` gives for each run.
    package var json: JSONObject {
        var json: JSONObject = [
            "runId": .string(runID.rawValue),
            "conversationId": .string(conversationID.rawValue),
            "principal": .string(principal), "status": .string(status.rawValue),
        ]
        json["tool"] = tool.map(JSONValue.string)
        json["error"] = error.map { .string($0.cut(to: 300)) }
        json["submittedAt"] = .string(Timestamp(milliseconds: submittedAt).text)
        json["updatedAt"] = .string(Timestamp(milliseconds: updatedAt).text)
        return json
    }
}
