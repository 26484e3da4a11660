import CSQLite

/// Looks at a store's file as another program would.
enum SQLite {
    struct Failure: Error {
        let code: Int32
        let text: String
    }

    static func run(_ sql: String, on path: String) throws { _ = try rows(sql, on: path) }

    /// The first column of each row, as text.
    static func rows(_ sql: String, on path: String) throws -> [String] {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close_v2(database)
        }
        try check(sqlite3_open(path, &database), database)
        try check(sqlite3_prepare_v2(database, sql, -1, &statement, nil), database)
        var rows: [String] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                rows.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
            case SQLITE_DONE: return rows
            case let code: try check(code, database)
            }
        }
    }

    private static func check(_ code: Int32, _ database: OpaquePointer?) throws {
        guard code != SQLITE_OK else { return }
        throw Failure(code: code, text: String(cString: sqlite3_errmsg(database)))
    }
}
