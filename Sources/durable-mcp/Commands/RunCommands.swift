internal import DurableEngine
internal import DurableLog
internal import DurableMCP
internal import DurableSecurity
internal import OrderedJSON

/// The bodies of `runs list` and `runs show`.
struct RunCommands {
    let surroundings: Surroundings
    let output = CommandOutput()

    func list(_ command: ListRunsCommand) async throws {
        let access = try StoreAccess(command.common, surroundings)
        let page = try await access.withExisting { store in
            let engine = try await Engine.idle(on: store)
            do throws(EngineError) {
                return try await engine.runs(
                    visibleTo: surroundings.principal,
                    status: command.status.flatMap(RunStatus.init(rawValue:)),
                    limit: command.limit, cursor: command.cursor)
            } catch {
                throw CommandFailure.listing(error)
            }
        }
        if command.json {
            var object: JSONObject = ["runs": .array(page.entries.map { .object($0.json) })]
            object["nextCursor"] = page.next.map { .string($0) }
            return try output.write(object)
        }
        var table = TextTable("RUN", "STATUS", "TOOL", "PRINCIPAL", "SUBMITTED", "ERROR")
        for run in page.entries {
            table.add(
                run.runID.rawValue, run.status.rawValue, run.tool ?? "(script)", run.principal,
                Timestamp(milliseconds: run.submittedAt).text,
                SafeText.line(run.error ?? "", limit: 60))
        }
        if page.entries.isEmpty {
            output.note("No runs.")
        } else {
            try output.write(table.text)
        }
        if let next = page.next { output.note("There are more: --cursor \(next)") }
    }

    func show(_ command: ShowRunCommand) async throws {
        let access = try StoreAccess(command.common, surroundings)
        let snapshot = try await access.withExisting { store in
            try await run(command.runID, in: store)
        }
        if command.json { return try output.write(json(of: snapshot)) }
        try output.write(text(of: snapshot))
    }

    private func run(_ id: String, in store: any EventStore) async throws -> RunSnapshot {
        let engine = try await Engine.idle(on: store)
        do throws(EngineError) {
            return try await engine.run(
                RunID(rawValue: id), visibleTo: surroundings.principal)
        } catch {
            guard error.code == .notFound else { throw CommandFailure(error.message) }
            throw Self.noSuchRun(id)
        }
    }

    /// What is said of a run that the store does not have.
    static func noSuchRun(_ id: String) -> CommandFailure {
        CommandFailure(
            """
            There is no run '\(id)' in this store. 'durable-mcp runs list' shows those there are.
            """)
    }

    /// What `get_run_status` gives, without its words for agents, and what `list_runs` tells.
    private func json(of snapshot: RunSnapshot) -> JSONObject {
        var json = RunView(whole: snapshot).json
        json["hint"] = nil
        json["principal"] = .string(snapshot.principal)
        json["submittedAt"] = .string(Timestamp(milliseconds: snapshot.run.submittedAt).text)
        json["updatedAt"] = .string(Timestamp(milliseconds: snapshot.run.updatedAt).text)
        return json
    }

    private func text(of snapshot: RunSnapshot) -> String {
        let run = snapshot.run
        var fields = TextFields()
        fields.add("Run", run.id.rawValue)
        fields.add("Status", run.status.rawValue)
        fields.add("Conversation", snapshot.conversationID.rawValue)
        fields.add("Principal", snapshot.principal)
        fields.add("Submitted", Timestamp(milliseconds: run.submittedAt).text)
        fields.add("Updated", Timestamp(milliseconds: run.updatedAt).text)
        if let approval = snapshot.approval?.request {
            fields.add(
                "Waits for",
                "approval \(approval.approvalID.rawValue) (\(approval.purpose.rawValue)): "
                    + approval.reason)
        } else {
            fields.add("Waits for", snapshot.waitingOn?["reason"]?.stringValue)
        }
        fields.add("Error", snapshot.error)
        fields.addBlock("Final text", snapshot.finalText)
        let view = RunView(whole: snapshot).json
        guard !run.steps.isEmpty else { return fields.text }
        var table = TextTable("STEP", "KIND", "TOOL", "EFFECT", "OUTCOME", "DETAIL")
        for (index, step) in (view["steps"]?.arrayValue ?? []).enumerated() {
            let detail = step["error"]?.stringValue ?? step["text"]?.stringValue ?? ""
            table.add(
                String(index), step["kind"]?.stringValue ?? "", step["tool"]?.stringValue ?? "",
                step["effect"]?.stringValue ?? "", step["outcome"]?.stringValue ?? "",
                SafeText.line(detail, limit: 60))
        }
        return fields.text + "\n" + table.text
    }
}
