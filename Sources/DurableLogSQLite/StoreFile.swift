internal import DurableLog
internal import LinuxPlatform

/// Where a store's files are, and how they are opened.
struct StoreFile: Sendable {
    /// The database file, absolute and without symbolic links: all who open it must agree on
    /// the names beside it.
    let path: String
    let catalogue: TableCatalogue
    let process: ProcessID
    let configuration: SQLiteConfiguration
    /// Held during every transaction and every checkpoint.
    let lock: LockFile

    var faults: CommitFaults { configuration.faults }

    /// The folder of lock files and sockets, one of each a process.
    var processesFolder: String { "\(path)-processes" }

    init(
        path: String, tables: [TableSchema], process: ProcessID,
        configuration: SQLiteConfiguration
    ) throws(StoreError) {
        precondition(
            (1...100).contains(process.rawValue.utf8.count)
                && process.rawValue.utf8.allSatisfy(Self.isFileNameByte),
            "A process id is 1 to 100 letters, digits, '_' and '-': it names files.")
        do throws(LinuxError) {
            let path = try FileSystem.canonicalPath(path)
            self.path = path
            lock = try LockFile(path: "\(path)-lock")
        } catch {
            throw Self.unavailable(error, path: path)
        }
        self.catalogue = TableCatalogue(tables)
        self.process = process
        self.configuration = configuration
    }

    private static func isFileNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The error for a system call that failed.
    func unavailable(_ error: LinuxError) -> StoreError { Self.unavailable(error, path: path) }

    private static func unavailable(_ error: LinuxError, path: String) -> StoreError {
        StoreError(
            code: .unavailable,
            message: """
                Cannot use the store '\(path)': \(error.message) Check that its folder exists \
                and that this user may write it.
                """, cause: error)
    }

    /// Waits for the lock, as long as the configuration says.
    func takeLock() throws(StoreError) {
        do throws(LinuxError) {
            try lock.lock(within: configuration.lockPatience)
        } catch {
            throw StoreError(
                code: .unavailable,
                message: "Cannot write the store '\(path)': \(error.message)", cause: error)
        }
    }

    /// Which database and which lock file the paths lead to now.
    func identities() throws(StoreError) -> [FileIdentity?] {
        do throws(LinuxError) {
            return [try FileSystem.identity(of: path), try FileSystem.identity(of: lock.path)]
        } catch {
            throw unavailable(error)
        }
    }

    // MARK: Opening

    /// Makes or checks the file, and registers this process; takes the lock meanwhile.
    func prepare() throws(StoreError) -> (Session, Presence) {
        do throws(LinuxError) {
            try FileSystem.makePrivateFolder(processesFolder)
            try FileSystem.makePrivateFile(path)
        } catch {
            throw unavailable(error)
        }
        try takeLock()
        defer { lock.unlock() }
        let connection = try openConnection()
        try Schema.prepare(connection, catalogue: catalogue)
        try growWriteAheadLog(connection)
        let session = try Session(connection, catalogue: catalogue, process: process)
        // Before its files are touched: they might be those of a live process.
        if try session.processNames().contains(process.rawValue) {
            throw StoreError(
                code: .conflict,
                message: """
                    Process '\(process)' is registered already in the store '\(path)'. \
                    Use a new id for each opening.
                    """)
        }
        let presence: Presence
        do throws(LinuxError) {
            presence = try Presence(folder: processesFolder, process: process)
        } catch {
            throw unavailable(error)
        }
        do throws(StoreError) {
            try session.statements.begin.run()
            try session.register()
            try session.statements.commit.run()
            presence.sweep(keeping: Set(try session.processNames()))
        } catch {
            presence.leave()
            throw error
        }
        return (session, presence)
    }

    /// A new session on a file that was prepared before; the lock is held.
    func openSession() throws(StoreError) -> Session {
        try Session(openConnection(), catalogue: catalogue, process: process)
    }

    private func openConnection() throws(StoreError) -> Connection {
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.configure()
        try connection.execute("PRAGMA page_size = 4096")
        let mode = try connection.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else {
            throw StoreError(
                code: .unavailable,
                message: """
                    The file system of the store '\(path)' cannot share memory between \
                    processes. Put the store on a local disk.
                    """)
        }
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.execute("PRAGMA cache_size = -8192")
        try connection.execute("PRAGMA journal_size_limit = -1")
        if let pages = configuration.maximumPages {
            try connection.execute("PRAGMA max_page_count = \(pages)")
        }
        try connection.keepWriteAheadLog()
        return connection
    }

    /// Makes the write-ahead log as long as it will ever be, so that a sync of it need not
    /// record a new length too.
    ///
    /// A transaction too large for the cache spills into the log; rolled back, it leaves the
    /// length and nothing else. The lock is held.
    private func growWriteAheadLog(_ connection: Connection) throws(StoreError) {
        let present: Int64
        do throws(LinuxError) {
            present = try FileSystem.size(of: "\(path)-wal") ?? 0
        } catch {
            throw unavailable(error)
        }
        let missing = configuration.walBytes - present
        guard missing > 64 * 4096 else { return }
        // From where the log is written next, which may be its beginning.
        let bytes = configuration.walBytes * 4096 / 4120
        try connection.execute("PRAGMA cache_size = 16")
        do throws(StoreError) {
            try connection.execute("BEGIN IMMEDIATE")
            try connection.execute(
                "INSERT INTO log_metadata (name, value) VALUES ('grow', zeroblob(\(bytes)))")
        } catch  where error.cause is SQLiteFailure {
            // Too little space for it: the log grows as it is needed, a little slower.
        }
        if connection.isInTransaction { try connection.execute("ROLLBACK") }
        try connection.execute("PRAGMA cache_size = -8192")
    }
}
