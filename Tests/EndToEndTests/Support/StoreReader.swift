import CSQLite

/// Looks at a store's file as another program would, while others write it.
struct StoreReader {
    struct Failure: Error {
        let code: Int32
        let text: String
    }

    let path: String

    /// The rows of a query, each column as text.
    func rows(_ sql: String) throws -> [[String]] {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close_v2(database)
        }
        try check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY, nil), database)
        sqlite3_busy_timeout(database, 2000)
        try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil), database)
        var rows: [[String]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { column in
                        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
                    })
            case SQLITE_DONE: return rows
            case let code: try check(code, database)
            }
        }
    }

    /// The events of one run's conversation: sequence, epoch, type and time in milliseconds.
    func events(
        ofRun run: String
    ) throws -> [(sequence: Int, epoch: Int, type: String, time: Int)] {
        try rows(
            """
            SELECT e.sequence, e.epoch, t.name, e.time FROM log_events e
            JOIN log_types t ON t.id = e.type
            JOIN log_conversations c ON c.id = e.conversation
            JOIN runs r ON r.conversation = c.name
            WHERE r.runId = '\(run)' ORDER BY e.sequence
            """
        ).map { (Int($0[0]) ?? 0, Int($0[1]) ?? 0, $0[2], Int($0[3]) ?? 0) }
    }

    private func check(_ code: Int32, _ database: OpaquePointer?) throws {
        guard code != SQLITE_OK else { return }
        throw Failure(code: code, text: String(cString: sqlite3_errmsg(database)))
    }
}
