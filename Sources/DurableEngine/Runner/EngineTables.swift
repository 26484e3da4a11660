public import DurableLog
internal import OrderedJSON

/// The tables that the engine keeps beside the log.
public enum EngineTables {
    /// All of them, to open a store with.
    public static let all: [TableSchema] = [runs, approvals, unclaimed, replies]

    /// One row a run.
    package static let runs = TableSchema(
        "runs",
        columns: [
            .init("runId", .text), .init("conversation", .text), .init("principal", .text),
            .init("status", .text), .init("tool", .text), .init("submittedAt", .integer),
            .init("updatedAt", .integer), .init("error", .text),
        ],
        primaryKey: ["runId"],
        indexes: [
            ["submittedAt", "runId"], ["status", "submittedAt", "runId"],
            ["principal", "submittedAt", "runId"],
        ],
        isProjection: true)

    /// One row an approval; `detail` is what a list shows, and null once it is settled.
    static let approvals = TableSchema(
        "approvals",
        columns: [
            .init("approvalId", .text), .init("runId", .text), .init("conversation", .text),
            .init("principal", .text), .init("payloadHash", .text), .init("status", .text),
            .init("requestedAt", .integer), .init("expiresAt", .integer), .init("detail", .text),
        ],
        primaryKey: ["approvalId"],
        indexes: [
            ["status", "requestedAt", "approvalId"], ["status", "expiresAt"],
            ["payloadHash", "status"],
        ],
        isProjection: true)

    /// Conversations with work to do that nobody holds, and the upstreams it needs.
    static let unclaimed = TableSchema(
        "unclaimed",
        columns: [
            .init("conversation", .text), .init("since", .integer), .init("upstreams", .text),
        ],
        primaryKey: ["conversation"], indexes: [["since"]], isProjection: false)

    /// Answers to commands that another process carried out, by inbox item.
    static let replies = TableSchema(
        "replies",
        columns: [.init("item", .integer), .init("time", .integer), .init("reply", .text)],
        primaryKey: ["item"], indexes: [["time"]], isProjection: false)
}

extension ConversationState {
    /// The row of one run, as the log tells it.
    func runRow(_ run: RunState) -> Row {
        var tool: CellValue = .null
        if case .call(let name, _) = run.submission.work { tool = .text(name) }
        return [
            "runId": .text(run.id.rawValue), "conversation": .text(id.rawValue),
            "principal": .text(run.submission.principal), "status": .text(run.status.rawValue),
            "tool": tool, "submittedAt": .integer(run.submittedAt),
            "updatedAt": .integer(run.updatedAt),
            "error": run.ending?.error.map { .text($0) } ?? .null,
        ]
    }

    /// The row of one approval, as the log tells it.
    func approvalRow(_ approval: ApprovalState) -> Row {
        let request = approval.request
        let run = runs[request.runID]
        let detail = approval.isPending ? run.map { PendingApproval(approval, run: $0).json } : nil
        return [
            "approvalId": .text(request.approvalID.rawValue),
            "runId": .text(request.runID.rawValue), "conversation": .text(id.rawValue),
            "principal": .text(run?.submission.principal ?? ""),
            "payloadHash": .text(run?.submission.payloadHash ?? ""),
            "status": .text(approval.status), "requestedAt": .integer(approval.requestedAt),
            "expiresAt": approval.expiresAt.map { .integer($0) } ?? .null,
            "detail": detail.map { .text(JSONValue.object($0).text) } ?? .null,
        ]
    }

    /// Every projection row that the log of this conversation implies: runs, then approvals.
    package func projectionWrites() -> [TableWrite] {
        let runs = order.compactMap { self.runs[$0] }.map {
            TableWrite.put(table: EngineTables.runs.name, row: runRow($0))
        }
        let approvals = approvals.values.map {
            TableWrite.put(table: EngineTables.approvals.name, row: approvalRow($0))
        }
        return runs + approvals
    }
}

extension Row {
    func text(_ column: String) -> String? {
        if case .text(let value) = self[column] { value } else { nil }
    }

    func integer(_ column: String) -> Int64? {
        if case .integer(let value) = self[column] { value } else { nil }
    }
}
