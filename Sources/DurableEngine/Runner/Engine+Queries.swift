internal import DurableLog
public import DurableSecurity
internal import OrderedJSON

extension Engine {
    /// A run as it stands.
    ///
    /// - Throws: ``EngineError`` `.notFound` where there is none that the principal may see;
    ///   `.storage`.
    public func run(
        _ id: RunID, visibleTo principal: Principal
    ) async throws(EngineError) -> RunSnapshot {
        let conversation = try await conversation(of: id, visibleTo: principal)
        return try await snapshot(of: id, in: conversation)
    }

    /// A run as it stands once it has ended, its status has changed from `since`, or at `deadline`.
    ///
    /// The deadline is in milliseconds since 1970, nil to wait without end; with no `since` it
    /// returns once the run is settled.
    public func wait(
        for id: RunID, visibleTo principal: Principal, until deadline: Int64?, since: RunStatus?
    ) async throws(EngineError) -> RunSnapshot {
        let conversation = try await conversation(of: id, visibleTo: principal)
        return try await wait(for: id, in: conversation, until: deadline, since: since)
    }

    /// A page of runs, newest first.
    ///
    /// The cursor is from the page before, nil for the first. Throws ``EngineError`` `.wrongState`
    /// for a cursor that is none, and `.storage`.
    public func runs(
        visibleTo principal: Principal, status: RunStatus? = nil, limit: Int = 50,
        cursor: String? = nil
    ) async throws(EngineError) -> Page<RunSummary> {
        var filters: [String: TableQuery.Comparison] = [:]
        if !principal.seesEverything { filters["principal"] = .equals(.text(principal.id)) }
        if let status { filters["status"] = .equals(.text(status.rawValue)) }
        let rows = try await page(
            EngineTables.runs.name, filters, by: ["submittedAt", "runId"], descending: true,
            limit: limit, cursor: cursor)
        return Page(entries: rows.entries.compactMap(RunSummary.init), next: rows.next)
    }

    /// A page of approvals that wait for an answer, oldest first.
    ///
    /// One with the role `approve` sees all that are addressed to it; others see those of their
    /// own runs.
    public func pendingApprovals(
        visibleTo principal: Principal, limit: Int = 50, cursor: String? = nil
    ) async throws(EngineError) -> Page<PendingApproval> {
        var filters: [String: TableQuery.Comparison] = ["status": .equals(.text("pending"))]
        if !principal.seesEverything, !principal.has(.approve) {
            filters["principal"] = .equals(.text(principal.id))
        }
        let rows = try await page(
            EngineTables.approvals.name, filters, by: ["requestedAt", "approvalId"],
            descending: false, limit: limit, cursor: cursor)
        var entries: [PendingApproval] = []
        for row in rows.entries {
            let approval = try pendingApproval(row)
            let isAddressed =
                approval.audience.map { $0 == principal.id || principal.seesEverything } ?? true
            if isAddressed || approval.principal == principal.id { entries.append(approval) }
        }
        return Page(entries: entries, next: rows.next)
    }

    /// An approval that waits, for one who may see it.
    public func pendingApproval(
        _ id: ApprovalID, visibleTo principal: Principal
    ) async throws(EngineError) -> PendingApproval {
        guard let row = try await approvalRow(id) else { throw .unknownApproval(id) }
        guard let owner = row.text("principal"),
            principal.maySee(runsOf: owner) || principal.has(.approve)
        else { throw .unknownApproval(id) }
        guard row.text("status") == "pending" else {
            throw .alreadyResolved(id, row.text("status") ?? "resolved")
        }
        return try pendingApproval(row)
    }

    // MARK: Details

    func approvalRow(_ id: ApprovalID) async throws(EngineError) -> Row? {
        try await rows(
            TableQuery(
                EngineTables.approvals.name,
                where: ["approvalId": .equals(.text(id.rawValue))], limit: 1)
        ).first
    }

    private func pendingApproval(_ row: Row) throws(EngineError) -> PendingApproval {
        let object = row.text("detail").flatMap { text in
            // Unreadable is reported below.
            try? JSONValue(parsing: text, limits: .stored).objectValue
        }
        guard let object else {
            throw .unreadableEvent("approval.requested", 1, "its row has no detail")
        }
        return try PendingApproval(object)
    }

    /// The run of the same principal that the same call waits in.
    func waitingTwin(of submission: RunSubmitted) async throws(EngineError) -> RunSnapshot? {
        let rows = try await rows(
            TableQuery(
                EngineTables.approvals.name,
                where: [
                    "payloadHash": .equals(.text(submission.payloadHash)),
                    "status": .equals(.text("pending")),
                ], limit: 100))
        for row in rows where row.text("principal") == submission.principal {
            guard let run = row.text("runId"), let conversation = row.text("conversation")
            else { continue }
            let snapshot = try await snapshot(
                of: RunID(rawValue: run), in: ConversationID(rawValue: conversation))
            if snapshot.status == .waiting, !snapshot.run.isScript { return snapshot }
        }
        return nil
    }

    func conversation(
        of id: RunID, visibleTo principal: Principal
    ) async throws(EngineError) -> ConversationID {
        let rows = try await rows(
            TableQuery(
                EngineTables.runs.name, where: ["runId": .equals(.text(id.rawValue))], limit: 1))
        guard let row = rows.first, let owner = row.text("principal"),
            let conversation = row.text("conversation"), principal.maySee(runsOf: owner)
        else { throw .unknownRun(id) }
        return ConversationID(rawValue: conversation)
    }

    func rows(_ query: TableQuery) async throws(EngineError) -> [Row] {
        do throws(StoreError) {
            return try await services.store.rows(query)
        } catch {
            throw .storage(error)
        }
    }

    func storedState(of id: ConversationID) async throws(EngineError) -> ConversationState {
        do {
            return try await ConversationLog(store: services.store, keys: keys).state(of: id)
        } catch {
            throw .wrapping(error)
        }
    }

    func snapshot(
        of id: RunID, in conversation: ConversationID
    ) async throws(EngineError) -> RunSnapshot {
        guard let snapshot = try await storedState(of: conversation).snapshot(id) else {
            throw .unknownRun(id)
        }
        return snapshot
    }

    private func page(
        _ table: String, _ filters: [String: TableQuery.Comparison], by order: [String],
        descending: Bool, limit: Int, cursor: String?
    ) async throws(EngineError) -> Page<Row> {
        let limit = min(max(limit, 1), 1000)
        var after: [CellValue]?
        if let cursor {
            guard let place = PageCursor(cursor) else {
                throw .wrongState("'cursor' is none that a page of this list gave.")
            }
            after = [.integer(place.time), .text(place.id)]
        }
        var rows = try await rows(
            TableQuery(
                table, where: filters, orderBy: order, descending: descending, after: after,
                limit: limit + 1))
        guard rows.count > limit else { return Page(entries: rows, next: nil) }
        rows.removeLast()
        let next = rows.last.flatMap { row in
            row.integer(order[0]).flatMap { time in
                row.text(order[1]).map { PageCursor(time: time, id: $0).text }
            }
        }
        return Page(entries: rows, next: next)
    }
}

extension RunSummary {
    init?(_ row: Row) {
        guard let run = row.text("runId"), let conversation = row.text("conversation"),
            let principal = row.text("principal"),
            let status = row.text("status").flatMap(RunStatus.init(rawValue:)),
            let submittedAt = row.integer("submittedAt"), let updatedAt = row.integer("updatedAt")
        else { return nil }
        self.init(
            runID: RunID(rawValue: run), conversationID: ConversationID(rawValue: conversation),
            principal: principal, status: status, tool: row.text("tool"),
            submittedAt: submittedAt, updatedAt: updatedAt, error: row.text("error"))
    }
}
