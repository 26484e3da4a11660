public import DurableLog

/// How the contract opens the store under test.
///
/// All stores that one harness opens share one log, as processes share one file; another
/// harness has another log.
public protocol StoreHarness: Sendable {
    /// Opens the log for a process, with the tables of ``EventStoreContract``.
    func open(_ process: ProcessID) async throws -> any EventStore

    /// Makes a process that has the log open dead, as `kill -9` would.
    func kill(_ store: any EventStore) async throws
}

/// One in-memory log, shared by the stores it opens.
public struct MemoryHarness: StoreHarness {
    private let backing = MemoryBacking(tables: EventStoreContract.tables)

    /// An empty log.
    public init() {}

    /// Another process's view of the log.
    public func open(_ process: ProcessID) async throws -> any EventStore {
        MemoryEventStore(backing: backing, processID: process)
    }

    /// Makes a process dead.
    public func kill(_ store: any EventStore) async throws { backing.kill(store.processID) }
}
