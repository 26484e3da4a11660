internal import DurableLog

/// The file's own tables, and those its users declared.
///
/// Names of the store's own tables have an underscore, which declared names never have.
enum Schema {
    /// The format that this program writes, kept as `user_version`.
    static let version: Int64 = 1
    /// "DMCP", kept as `application_id`, tells our files from others'.
    static let applicationID: Int64 = 0x444D_4350

    private static let statements = [
        // An event's type and version, named by one small number.
        """
        CREATE TABLE log_types (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, version INTEGER NOT NULL,
            UNIQUE (name, version))
        """,
        // epoch 0: no lease was ever taken.
        """
        CREATE TABLE log_conversations (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch INTEGER NOT NULL,
            holder TEXT)
        """,
        """
        CREATE INDEX log_conversations_by_holder ON log_conversations (holder)
            WHERE holder IS NOT NULL
        """,
        """
        CREATE TABLE log_events (
            position INTEGER PRIMARY KEY, conversation INTEGER NOT NULL,
            sequence INTEGER NOT NULL, epoch INTEGER NOT NULL, type INTEGER NOT NULL,
            time INTEGER NOT NULL, payload BLOB NOT NULL, digest BLOB NOT NULL)
        """,
        "CREATE UNIQUE INDEX log_events_by_sequence ON log_events (conversation, sequence)",
        // AUTOINCREMENT: the id of a consumed item must never name another one.
        """
        CREATE TABLE log_inbox (
            id INTEGER PRIMARY KEY AUTOINCREMENT, conversation INTEGER NOT NULL,
            sender TEXT NOT NULL, time INTEGER NOT NULL, payload BLOB NOT NULL)
        """,
        "CREATE INDEX log_inbox_by_conversation ON log_inbox (conversation)",
        // batches, recoveries: what tells after a failed commit whether it happened.
        """
        CREATE TABLE log_processes (
            name TEXT PRIMARY KEY, batches INTEGER NOT NULL DEFAULT 0,
            recoveries INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID
        """,
        "CREATE TABLE log_metadata (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID",
    ]

    /// Makes the tables of a new file, or checks and widens those of an old one.
    ///
    /// The caller holds the store's lock. All in one transaction: a crash leaves either state.
    static func prepare(
        _ connection: Connection, catalogue: TableCatalogue
    ) throws(StoreError) {
        try connection.execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            if try isNew(connection) {
                for statement in statements { try connection.execute(statement) }
                try connection.execute("PRAGMA user_version = \(version)")
                try connection.execute("PRAGMA application_id = \(applicationID)")
            }
            for table in catalogue.tables { try prepare(table, on: connection) }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction {
                try? connection.execute("ROLLBACK")  // The first failure is the one to report.
            }
            throw error
        }
    }

    /// Whether the file is empty; throws where it is not one of ours, or a newer one.
    private static func isNew(_ connection: Connection) throws(StoreError) -> Bool {
        let found = try connection.integer("PRAGMA user_version") ?? 0
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
        if tables == 0 && found == 0 { return true }
        guard application == applicationID else {
            throw StoreError(
                code: .corrupt,
                message: """
                    '\(connection.path)' is a SQLite database of another program. \
                    Name another file as the store.
                    """)
        }
        guard found <= version else {
            throw StoreError(
                code: .newerVersion,
                message: """
                    The store '\(connection.path)' has format \(found); this program knows \
                    formats up to \(version). Use the program's newest release.
                    """)
        }
        return false
    }

    // MARK: Declared tables

    private static func prepare(
        _ table: TableSchema, on connection: Connection
    ) throws(StoreError) {
        let present = try columns(of: table.name, on: connection)
        if present.isEmpty {
            try connection.execute(TableSQL.create(table))
        } else {
            let key = present.filter { $0.keyOrder > 0 }.sorted { $0.keyOrder < $1.keyOrder }
            guard key.map(\.name) == table.primaryKey else {
                throw StoreError(
                    code: .corrupt,
                    message: """
                        Table '\(table.name)' of the store '\(connection.path)' has the key \
                        (\(key.map(\.name).joined(separator: ", "))), not \
                        (\(table.primaryKey.joined(separator: ", "))). Rebuild the store with \
                        the program that wrote it.
                        """)
            }
            let names = Set(present.map(\.name))
            for column in table.columns where !names.contains(column.name) {
                try connection.execute(TableSQL.add(column, to: table))
            }
        }
        for index in table.indexes { try connection.execute(TableSQL.index(index, of: table)) }
    }

    private struct PresentColumn {
        let name: String
        /// The place in the primary key, from 1; 0 outside of it.
        let keyOrder: Int64
    }

    private static func columns(
        of table: String, on connection: Connection
    ) throws(StoreError) -> [PresentColumn] {
        let statement = try Statement(
            "SELECT name, pk FROM pragma_table_info(?1)", on: connection, persistent: false)
        defer { statement.finalize() }
        try statement.bind(1, table)
        return try statement.all { row throws(StoreError) in
            PresentColumn(name: row.text(0), keyOrder: row.integer(1))
        }
    }
}
