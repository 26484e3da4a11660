internal import Audit
internal import DurableEngine
internal import DurableSecurity
internal import MCPProtocol
internal import OrderedJSON

/// The tools that prove what has happened.
struct AuditTools: Sendable {
    let auditor: Auditor

    var all: [OwnTool] { [exportAudit] }

    private static let formats = AuditExportRequest.Format.allCases.map(\.rawValue)

    private var exportAudit: OwnTool {
        OwnTool(
            "export_audit", title: "Export the audit",
            """
            Exports what has happened, one row an event: when, which run, step and tool, who \
            approved what, and a digest that chains each event to the one before. Texts, arguments \
            and results are left out. You see your own runs; the role 'audit' sees all. 'tip' is \
            what the whole log came to: noted elsewhere, 'durable-mcp audit verify --expect TIP' \
            shows later whether anything was changed or cut. Pages one after the other are one \
            text; 'nextCursor', where there is one, goes into 'cursor'.
            """,
            in: .audit, roles: [.use, .operate, .audit], hints: .looking,
            input: ObjectSchema([
                "format": ObjectSchema.choice(Self.formats, "How rows are written; 'jsonl'."),
                "runId": ObjectSchema.text("Only this run."),
                "since": ObjectSchema.text("Only from then on: '2026-11-30T12:00:00Z'."),
                "until": ObjectSchema.text("Only before then: '2026-11-30T12:00:00Z'."),
                "limit": ObjectSchema.integer(1...1000, "How many rows at most; 100."),
                "cursor": ObjectSchema.text("What the page before gave as 'nextCursor'."),
            ]),
            output: ObjectSchema(
                [
                    "format": ObjectSchema.choice(Self.formats, "How rows are written."),
                    "tip": ObjectSchema.text("What the whole log came to, 'v1:…'."),
                    "content": ObjectSchema.text("The rows."),
                    "nextCursor": ObjectSchema.text("Where the next page begins."),
                ],
                required: ["format", "tip", "content"])
        ) { call in
            var request = AuditExportRequest()
            request.format = call.text("format").flatMap(AuditExportRequest.Format.init) ?? .jsonl
            request.runID = call.text("runId")
            request.since = try call.time("since")
            request.until = try call.time("until")
            request.limit = call.integer("limit") ?? request.limit
            request.contentBytes = 24 << 10  // It goes out twice: as text, and as structure.
            request.cursor = call.text("cursor")
            do throws(AuditError) {
                return .structured(
                    try await auditor.export(request, visibleTo: call.principal).json)
            } catch {
                throw ToolRefusal(error.message)
            }
        }
    }
}

extension OwnCall {
    /// A moment in an argument, in milliseconds since 1970.
    fileprivate func time(_ key: String) throws(ToolRefusal) -> Int64? {
        guard let text = text(key) else { return nil }
        guard let time = Timestamp(parsing: text) else {
            throw ToolRefusal("'\(key)' must be a time such as '2026-11-30T12:00:00Z'.")
        }
        return time.milliseconds
    }
}
