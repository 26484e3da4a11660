internal import CSQLite
internal import DurableLog

/// What SQLite itself said of a failure.
struct SQLiteFailure: Error, CustomStringConvertible {
    /// The extended result code (https://www.sqlite.org/rescode.html).
    let code: Int32
    /// SQLite's own words.
    let description: String
}

extension StoreError {
    /// A call to SQLite that failed while it was trying to do `what` with the file at `path`.
    static func sqlite(_ code: Int32, _ words: String, path: String, _ what: String) -> Self {
        let cause = SQLiteFailure(code: code, description: words)
        let tried = "Cannot \(what) the store '\(path)': \(words) (SQLite code \(code))."
        switch code & 0xff {
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_ERROR, SQLITE_MISMATCH,
            SQLITE_CONSTRAINT:
            return Self(
                code: .corrupt,
                message: "\(tried) The file is damaged or no store. Restore it from a backup.",
                cause: cause)
        case SQLITE_TOOBIG:
            return Self(code: .tooLarge, message: tried, cause: cause)
        case SQLITE_FULL:
            return Self(
                code: .unavailable, message: "\(tried) Free some disk space and retry.",
                cause: cause)
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH:
            return Self(
                code: .unavailable,
                message: """
                    \(tried) Check that its folder exists and that this user may write the file \
                    and its folder.
                    """, cause: cause)
        default:
            return Self(
                code: .unavailable,
                message: "\(tried) Check the disk and that no other program locks the file.",
                cause: cause)
        }
    }
}
