internal import DurableLog
internal import DurableLogSQLite
internal import LinuxPlatform

/// What one durable commit costs on this disk.
struct CommitCost {
    let bench: Workbench

    /// The median time of one commit of one event of 500 bytes by one writer, in microseconds.
    func measure(_ count: Int) async throws -> Double {
        let path = bench.file("commit-\(SystemClock.monotonicNanoseconds()).sqlite")
        let process = ProcessID(rawValue: "prc_benchmark")
        let store = try await SQLiteEventStore.open(path: path, tables: [], processID: process)
        let conversation = ConversationID(rawValue: "cnv_benchmark")
        let event = NewEvent(
            type: "effect.result", version: 1, time: 0,
            payload: [UInt8](repeating: 0x61, count: 500), digest: [UInt8](repeating: 0, count: 32))
        let cost = try await Stopwatch.median(count) { index in
            let append = Append(
                conversation: conversation, expectedSequence: Int64(index), epoch: 1,
                events: [event], lease: index == 0 ? .open(process) : .keep)
            try await store.commit(Commit(appends: [append]))
        }
        await store.close()
        return cost
    }
}
