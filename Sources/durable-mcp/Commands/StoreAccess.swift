internal import Audit
internal import DurableEngine
internal import DurableLog
internal import DurableLogSQLite
internal import DurableMCP
internal import LinuxPlatform
internal import OpenSSLCrypto

/// Opens the store that a command works on.
struct StoreAccess: Sendable {
    /// Every table that the program keeps in a store.
    static var tables: [TableSchema] { DurableMCPTables.store }

    /// The config in force.
    let config: ServerConfig
    /// Where the store is.
    let url: StoreURL

    /// The store that options, config and surroundings come to.
    init(_ options: CommonOptions, _ surroundings: Surroundings) throws(CommandFailure) {
        config = try surroundings.config(options)
        url = try surroundings.store(options, config)
    }

    /// Opens a store that must be there, lends it out, and closes it.
    func withExisting<Value>(
        _ body: (any EventStore) async throws -> Value
    ) async throws -> Value {
        guard case .sqlite(let path) = url else {
            throw CommandFailure(
                "A store 'memory:' ends with its process, so there is nothing to look at.")
        }
        guard try Self.exists(path) else {
            throw CommandFailure(
                """
                There is no store at '\(path)' yet. 'durable-mcp serve' makes it; --store names \
                another.
                """)
        }
        return try await lend(try await Self.open(path), to: body)
    }

    /// Opens a store, made first where there is none, lends it out, and closes it.
    func withMade<Value>(
        _ body: (any EventStore) async throws -> Value
    ) async throws -> Value {
        guard case .sqlite = url else {
            throw CommandFailure(
                "A store 'memory:' ends with its process, so nothing can be kept in it.")
        }
        return try await lend(try await open(), to: body)
    }

    /// Opens a store, made first where there is none; the caller closes it.
    func open() async throws(CommandFailure) -> any EventStore {
        switch url {
        case .memory:
            return MemoryEventStore(tables: Self.tables, processID: Self.newProcessID())
        case .sqlite(let path):
            try makeFolder(of: path)
            return try await Self.open(path)
        }
    }

    /// Whether there is a file at `path`.
    static func exists(_ path: String) throws(CommandFailure) -> Bool {
        do throws(LinuxError) {
            return try FileSystem.size(of: path) != nil
        } catch {
            throw CommandFailure(error.message)
        }
    }

    private func lend<Value>(
        _ store: any EventStore, to body: (any EventStore) async throws -> Value
    ) async throws -> Value {
        do {
            let value = try await body(store)
            await store.close()
            return value
        } catch {
            await store.close()
            throw error
        }
    }

    private static func open(_ path: String) async throws(CommandFailure) -> any EventStore {
        do throws(StoreError) {
            return try await SQLiteEventStore.open(
                path: path, tables: tables, processID: newProcessID())
        } catch {
            throw CommandFailure(error.message)
        }
    }

    private static func newProcessID() -> ProcessID {
        ProcessID(rawValue: "prc_" + Base32.encode(SecureRandom.bytes(16)))
    }

    /// Makes the folders above the file, for this user alone, as far as they are missing.
    private func makeFolder(of path: String) throws(CommandFailure) {
        let parts = path.split(separator: "/").dropLast()
        var folder = ""
        do throws(LinuxError) {
            for part in parts {
                folder += "/" + part
                if try FileSystem.size(of: folder) == nil {
                    try FileSystem.makePrivateFolder(folder)
                }
            }
        } catch {
            throw CommandFailure(
                "Cannot make the folder of the store '\(path)'. \(error.message)")
        }
    }
}

/// A command line's engine: it takes commands and answers questions, and runs nothing.
struct IdleTools: ToolSource {
    func tool(named name: String) async -> ToolLookup {
        .absent("The command line calls no tools.")
    }

    func has(_ upstream: ToolFacts.Upstream) -> Bool { false }
}

extension Engine {
    /// An engine that decides approvals, and leaves the work to servers.
    static func idle(on store: any EventStore) async throws(StoreError) -> Engine {
        var configuration = EngineConfiguration()
        configuration.runsWork = false
        return try await open(
            store: store, tools: IdleTools(), clock: SystemEngineClock(),
            identifiers: SystemIdentifiers(), configuration: configuration)
    }
}
