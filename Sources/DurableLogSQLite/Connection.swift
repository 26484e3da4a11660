internal import CSQLite
internal import DurableLog

/// One open SQLite connection, closed when its owner lets go of it.
///
/// A class because SQLite calls back through it. Not `Sendable`: it stays on the thread that
/// opened it. Its statements keep it alive.
final class Connection {
    /// What a connection may do.
    enum Mode { case readWrite, readOnly }

    let path: String
    let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    /// How many frames the write-ahead log had after the newest commit here.
    private let walFrames: UnsafeMutablePointer<Int32>

    /// The most statements kept beside those that their users keep.
    private static let statementLimit = 200

    init(path: String, mode: Mode) throws(StoreError) {
        self.path = path
        let flags =
            mode == .readWrite
            ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
            : SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let opened else {
            let words = String(cString: sqlite3_errstr(code))
            // SQLite returns a handle even when opening fails, and it must be closed.
            sqlite3_close_v2(opened)
            throw .sqlite(code, words, path: path, "open")
        }
        handle = opened
        walFrames = .allocate(capacity: 1)
        walFrames.initialize(to: 0)
    }

    deinit {
        for statement in statements.values { statement.finalize() }
        sqlite3_close_v2(handle)
        walFrames.deallocate()
    }

    /// Settings that every connection has: no checkpoint but our own, no mapped memory.
    func configure() throws(StoreError) {
        try check(
            durable_sqlite_switch(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1), "configure")
        try check(durable_sqlite_switch(handle, SQLITE_DBCONFIG_DEFENSIVE, 1), "configure")
        try check(durable_sqlite_switch(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), "configure")
        try check(sqlite3_busy_timeout(handle, 5_000), "configure")
        try execute("PRAGMA mmap_size = 0")
        try execute("PRAGMA temp_store = MEMORY")
        // A hook of our own takes the place of the one that checkpoints by itself.
        sqlite3_wal_hook(
            handle,
            { context, _, _, frames in
                context?.assumingMemoryBound(to: Int32.self).pointee = frames
                return SQLITE_OK
            }, walFrames)
    }

    /// Keeps the write-ahead log's file when the last connection closes.
    func keepWriteAheadLog() throws(StoreError) {
        var on: Int32 = 1
        try check(
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &on), "configure")
    }

    /// How many frames the write-ahead log had after the newest commit here.
    var framesInWriteAheadLog: Int { Int(walFrames.pointee) }

    /// Throws what SQLite last said, unless `code` is success.
    func check(_ code: Int32, _ what: String) throws(StoreError) {
        if code != SQLITE_OK { throw failure(code, what) }
    }

    /// The error for a code that a call on this connection just gave.
    func failure(_ code: Int32, _ what: String) -> StoreError {
        .sqlite(code, String(cString: sqlite3_errmsg(handle)), path: path, what)
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The rowid of the newest row inserted here.
    var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// How many rows the newest statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Runs one statement once, without keeping it.
    func execute(_ sql: String) throws(StoreError) {
        let statement = try Statement(sql, on: self, persistent: false)
        defer { statement.finalize() }
        try statement.run()
    }

    /// The first column of the first row that a statement gives.
    func integer(_ sql: String) throws(StoreError) -> Int64? {
        let statement = try Statement(sql, on: self, persistent: false)
        defer { statement.finalize() }
        return try statement.step() ? statement.integer(0) : nil
    }

    /// The first column of the first row, as text.
    func text(_ sql: String) throws(StoreError) -> String? {
        let statement = try Statement(sql, on: self, persistent: false)
        defer { statement.finalize() }
        return try statement.step() ? statement.text(0) : nil
    }

    /// A statement that is kept for the next time.
    func statement(_ sql: String) throws(StoreError) -> Statement {
        if let kept = statements[sql] { return kept }
        if statements.count >= Self.statementLimit {
            for statement in statements.values { statement.finalize() }
            statements.removeAll()
        }
        let made = try Statement(sql, on: self, persistent: true)
        statements[sql] = made
        return made
    }

    /// Copies the write-ahead log into the database; the caller holds the store's lock.
    ///
    /// With `waiting`, readers are waited for, so that the log starts anew.
    func checkpoint(waiting: Bool) throws(StoreError) {
        let mode = waiting ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE
        let code = sqlite3_wal_checkpoint_v2(handle, "main", mode, nil, nil)
        // Busy means that readers kept some of it: the next checkpoint takes the rest.
        guard code & 0xff != SQLITE_BUSY else { return }
        try check(code, "checkpoint")
    }
}
