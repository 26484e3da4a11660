internal import DurableEngine
internal import DurableLog

/// Compares the tables that follow from the log with what the log says.
///
/// A conversation that goes on meanwhile is looked at again, so it may run beside a server.
struct ProjectionCheck {
    /// How often a conversation that keeps changing is looked at.
    private static let attempts = 20
    /// How many conversations' rows are remembered while rows without events are looked for.
    private static let rememberedConversations = 100

    private let store: any EventStore
    private let log: ConversationLog
    private var verdict = AuditVerdict()
    private var rowCounts: [String: Int] = [:]

    init(store: any EventStore, keys: StoreKeys) {
        self.store = store
        log = ConversationLog(store: store, keys: keys)
    }

    /// Looks at every conversation, and at every row.
    ///
    /// Memory follows the largest conversation.
    consuming func check() async throws -> AuditVerdict {
        var pages = EventPages(store: store)
        while let page = try await pages.next() {
            for event in page where event.sequence == 1 {
                verdict.conversationCount += 1
                try await check(event.conversation, at: event.position)
            }
        }
        for table in Self.tables { try await checkRows(of: table) }
        return verdict
    }

    private static var tables: [TableSchema] { EngineTables.all.filter(\.isProjection) }

    // MARK: From the log to the rows

    private mutating func check(
        _ conversation: ConversationID, at position: Int64
    ) async throws {
        var findings: [AuditFinding] = []
        for _ in 0..<Self.attempts {
            findings = []
            let (rows, end): ([ExpectedRow], Int64)
            do {
                (rows, end) = try await expectedRows(of: conversation)
            } catch let error as StoreError where error.code == .corrupt {
                return fail(conversation, at: position, error.message)
            } catch let error as EngineError where error.code == .unreadableEvent {
                return fail(conversation, at: position, error.message)
            }
            for expected in rows {
                let found = try await store.rows(
                    TableQuery(expected.table, where: expected.key.mapValues { .equals($0) })
                ).first
                if let difference = expected.difference(to: found) {
                    findings.append(
                        AuditFinding(
                            .projection, position: position, conversationID: conversation,
                            message: "\(expected.name) \(difference)."))
                }
            }
            let isStill = try await store.events(of: conversation, after: end, limit: 1).isEmpty
            if findings.isEmpty || isStill {
                for row in rows { rowCounts[row.table, default: 0] += 1 }
                break
            }
        }
        for finding in findings { verdict.add(finding) }
    }

    private mutating func fail(
        _ conversation: ConversationID, at position: Int64, _ reason: String
    ) {
        verdict.add(
            AuditFinding(
                .unreadable, position: position, conversationID: conversation, message: reason))
    }

    private func expectedRows(
        of conversation: ConversationID
    ) async throws -> (rows: [ExpectedRow], end: Int64) {
        var state = ConversationState(id: conversation)
        let end = try await log.read(conversation) { event, time in state.fold(event, at: time) }
        return (state.projectionWrites().compactMap(ExpectedRow.init), end.sequence)
    }

    // MARK: From the rows to the log

    /// Looks for rows that no event accounts for, where there are more than were expected.
    private mutating func checkRows(of table: TableSchema) async throws {
        var count = 0
        try await forEachRow(of: table) { _ in count += 1 }
        guard count > rowCounts[table.name, default: 0] else { return }
        var remembered: [ConversationID: Set<Row>] = [:]
        var extra: [Row] = []
        try await forEachRow(of: table) { row in
            guard case .text(let id) = row["conversation"] else { return extra.append(row) }
            let conversation = ConversationID(rawValue: id)
            let key = row.filter { table.primaryKey.contains($0.key) }
            if remembered[conversation]?.contains(key) == true { return }
            // Read again, though remembered: a conversation may just have grown.
            let rows = try await expectedRowsOrNone(of: conversation)
            let keys = Set(rows.filter { $0.table == table.name }.map(\.key))
            if remembered.count >= Self.rememberedConversations { remembered = [:] }
            remembered[conversation] = keys
            if !keys.contains(key) { extra.append(row) }
        }
        for row in extra.prefix(AuditVerdict.findingLimit) {
            verdict.add(
                AuditFinding(
                    .projection,
                    message: "\(ExpectedRow.name(table, row)) follows from no event."))
        }
    }

    /// As ``expectedRows(of:)``; a conversation that cannot be read was reported before.
    private func expectedRowsOrNone(of conversation: ConversationID) async throws -> [ExpectedRow] {
        do {
            return try await expectedRows(of: conversation).rows
        } catch let error as StoreError where error.code == .corrupt {
            return []
        } catch let error as EngineError where error.code == .unreadableEvent {
            return []
        }
    }

    private func forEachRow(
        of table: TableSchema, _ body: (Row) async throws -> Void
    ) async throws {
        var after: [CellValue]?
        while true {
            let page = try await store.rows(
                TableQuery(table.name, orderBy: table.primaryKey, after: after, limit: 1000))
            for row in page { try await body(row) }
            guard page.count == 1000, let last = page.last else { return }
            after = table.primaryKey.map { last[$0, default: .null] }
        }
    }
}

/// A row as the log implies it.
private struct ExpectedRow {
    let table: String
    let key: Row
    let row: Row
    let name: String

    init?(_ write: TableWrite) {
        guard case .put(let table, let row) = write,
            let schema = EngineTables.all.first(where: { $0.name == table })
        else { return nil }
        self.table = table
        self.row = row
        key = row.filter { schema.primaryKey.contains($0.key) }
        name = Self.name(schema, row)
    }

    /// How a row is called in findings: its table and its key.
    static func name(_ table: TableSchema, _ row: Row) -> String {
        let key = table.primaryKey.map { column in
            switch row[column, default: .null] {
            case .text(let text): "'\(text)'"
            case .integer(let number): "\(number)"
            case .null, .blob: "?"
            }
        }
        return "The row \(key.joined(separator: ", ")) of '\(table.name)'"
    }

    /// What is different about the row in the store; nil where nothing is.
    func difference(to found: Row?) -> String? {
        guard let found else { return "is gone" }
        let columns = row.filter { !CellValue.same(found[$0.key, default: .null], $0.value) }
            .map { "'\($0.key)'" }.sorted()
        guard !columns.isEmpty else { return nil }
        return "is not what the events imply: \(columns.joined(separator: ", "))"
    }
}
