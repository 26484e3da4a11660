internal import Synchronization

/// What several in-memory stores share, as several processes share one file.
public final class MemoryBacking: Sendable {
    let state: Mutex<MemoryState>

    /// An empty backing with these tables.
    public init(tables: [TableSchema]) {
        state = Mutex(MemoryState(catalogue: TableCatalogue(tables)))
    }

    /// Makes one process dead, as `kill -9` would: its store fails from now on, its leases stay.
    public func kill(_ process: ProcessID) {
        let wake = state.withLock { state in
            state.processes[process]?.isAlive = false
            return state.processes[process]?.wake
        }
        wake?.finish()
    }
}
