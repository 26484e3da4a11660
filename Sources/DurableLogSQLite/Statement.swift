internal import CSQLite
internal import DurableLog

/// One prepared statement; parameters count from 1, columns from 0.
///
/// A class because several places keep it. It belongs to its connection's thread, and
/// whoever made it finalizes it before the connection goes.
final class Statement {
    private var handle: OpaquePointer?
    private unowned let connection: Connection

    init(_ sql: String, on connection: Connection, persistent: Bool) throws(StoreError) {
        self.connection = connection
        let flags = persistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = sqlite3_prepare_v3(connection.handle, sql, -1, flags, &handle, nil)
        try connection.check(code, "use")
    }

    deinit { finalize() }

    /// Frees it; nothing else may follow.
    func finalize() {
        sqlite3_finalize(handle)
        handle = nil
    }

    // MARK: Binding

    func bind(_ index: Int32, _ value: Int64) throws(StoreError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    func bind(_ index: Int32, _ value: String) throws(StoreError) {
        var value = value
        let code = value.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                // A nil pointer would bind null instead of an empty text.
                guard let base = characters.baseAddress, !characters.isEmpty else {
                    return sqlite3_bind_text(handle, index, "", 0, durable_sqlite_transient())
                }
                return sqlite3_bind_text(
                    handle, index, base, Int32(characters.count), durable_sqlite_transient())
            }
        }
        try check(code)
    }

    func bind(_ index: Int32, _ value: [UInt8]) throws(StoreError) {
        let code = value.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, !bytes.isEmpty else {
                return sqlite3_bind_zeroblob(handle, index, 0)
            }
            return sqlite3_bind_blob(
                handle, index, base, Int32(bytes.count), durable_sqlite_transient())
        }
        try check(code)
    }

    func bindNull(_ index: Int32) throws(StoreError) { try check(sqlite3_bind_null(handle, index)) }

    func bind(_ index: Int32, _ cell: CellValue) throws(StoreError) {
        switch cell {
        case .null: try bindNull(index)
        case .integer(let value): try bind(index, value)
        case .text(let value): try bind(index, value)
        case .blob(let value): try bind(index, value)
        }
    }

    // MARK: Running

    /// Goes to the next row; false after the last.
    func step() throws(StoreError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            let failure = connection.failure(code, "use")
            reset()
            throw failure
        }
    }

    /// Makes it ready for the next time, and lets go of what was bound.
    func reset() {
        // Gives the failure of the last step again, which was thrown then.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    /// Runs it to the end, ignoring its rows.
    func run() throws(StoreError) {
        while try step() {}
        reset()
    }

    /// What `read` makes of its first row, or nil where there is none.
    func first<Value>(_ read: (Statement) -> Value) throws(StoreError) -> Value? {
        let value = try step() ? read(self) : nil
        reset()
        return value
    }

    /// What `read` makes of each row.
    func all<Value>(
        _ read: (Statement) throws(StoreError) -> Value
    ) throws(StoreError) -> [Value] {
        defer { reset() }
        var values: [Value] = []
        while try step() { values.append(try read(self)) }
        return values
    }

    // MARK: Columns

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func text(_ column: Int32) -> String {
        guard let start = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        let count = Int(sqlite3_column_bytes(handle, column))
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    func cell(_ column: Int32) -> CellValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_TEXT: .text(text(column))
        case SQLITE_BLOB: .blob(bytes(column))
        default: .null
        }
    }

    private func check(_ code: Int32) throws(StoreError) {
        if code != SQLITE_OK { throw connection.failure(code, "use") }
    }
}
