import DurableLog
import DurableLogSQLite
import DurableTesting
import Foundation
import LinuxPlatform
import Synchronization
import Testing

@Suite("SQLite store under failures", .timeLimit(.minutes(2)))
struct SQLiteFailureTests {
    private let conversation = ConversationID(rawValue: "cnv")
    private let process = ProcessID(rawValue: "prc_1")

    /// What a test lets fail, from its next commit on.
    private final class Plan: Sendable {
        struct State {
            var commits = 0
            var faults: [CommitFaults.Fault] = []
            var reopenFails = false
        }
        let state = Mutex(State())

        func faults() -> CommitFaults {
            var faults = CommitFaults()
            faults.commit = { [self] in
                state.withLock { state in
                    state.commits += 1
                    return state.faults.isEmpty ? nil : state.faults.removeFirst()
                }
            }
            faults.reopen = { [self] in state.withLock(\.reopenFails) }
            return faults
        }
    }

    private func open(_ harness: SQLiteHarness, _ plan: Plan) async throws -> SQLiteEventStore {
        var harness = harness
        harness.configuration.faults = plan.faults()
        return try await harness.opened(process)
    }

    @Test("a commit that failed but happened is found, and answered as a success")
    func happened() async throws {
        let harness = try SQLiteHarness()
        defer { harness.remove() }
        let plan = Plan()
        let store = try await open(harness, plan)
        plan.state.withLock { $0.faults = [.after, .after, .after, .after] }

        try await store.append(.sample(0), to: conversation, after: 0, lease: .open(process))
        let grant = try await store.acquireLease(
            of: ConversationID(rawValue: "other"), for: process, takingFrom: nil)
        let item = InboxItem(conversation: conversation, sender: process, time: 1, payload: [1])
        let (id, _) = try await store.enqueue(item)
        try await store.commit(Commit(writes: [.put(table: "runs", row: ["id": .text("a")])]))

        #expect(grant == .granted(epoch: 1))
        #expect(try await store.inbox(of: conversation).map(\.id) == [id])
        #expect(try await store.rows(TableQuery("runs")).count == 1)
        try await store.append(.sample(1), to: conversation, after: 1)
        #expect(try await store.events(of: conversation, after: 0, limit: 9).count == 2)
        await store.close()
    }

    @Test("a commit that failed and did not happen is answered as not done")
    func didNotHappen() async throws {
        let harness = try SQLiteHarness()
        defer { harness.remove() }
        let plan = Plan()
        let store = try await open(harness, plan)
        try await store.append(.sample(0), to: conversation, after: 0, lease: .open(process))
        plan.state.withLock { $0.faults = [.before, .before] }

        let appending = await #expect(throws: StoreError.self) {
            try await store.append(.sample(1), to: conversation, after: 1)
        }
        let writing = await #expect(throws: StoreError.self) {
            try await store.commit(Commit(writes: [.put(table: "runs", row: ["id": .text("a")])]))
        }

        #expect(appending?.code == .unavailable)
        #expect(writing?.code == .unavailable)
        #expect(try await store.rows(TableQuery("runs")) == [])
        #expect(try await store.events(of: conversation, after: 0, limit: 9).count == 1)
        try await store.append(.sample(1), to: conversation, after: 1)
        await store.close()
    }

    @Test("where it cannot be found out, the outcome is unknown", arguments: [true, false])
    func unknown(happened: Bool) async throws {
        let harness = try SQLiteHarness()
        defer { harness.remove() }
        let plan = Plan()
        let store = try await open(harness, plan)
        try await store.append(.sample(0), to: conversation, after: 0, lease: .open(process))
        plan.state.withLock { state in
            state.faults = [happened ? .after : .before]
            state.reopenFails = true
        }

        let error = await #expect(throws: StoreError.self) {
            try await store.append(.sample(1), to: conversation, after: 1)
        }
        plan.state.withLock { $0.reopenFails = false }

        #expect(error?.code == .outcomeUnknown)
        let count = try await store.events(of: conversation, after: 0, limit: 9).count
        #expect(count == (happened ? 2 : 1))
        try await store.append(.sample(2), to: conversation, after: Int64(count))
        await store.close()
    }

    @Test("a stale append in a batch whose commit failed is still told as stale")
    func staleInFailedBatch() async throws {
        let harness = try SQLiteHarness()
        defer { harness.remove() }
        let plan = Plan()
        let store = try await open(harness, plan)
        try await store.append(.sample(0), to: conversation, after: 0, lease: .open(process))
        plan.state.withLock { $0.faults = [.after] }

        async let good = store.append(.sample(1), to: conversation, after: 1)
        let error = await #expect(throws: StoreError.self) {
            try await store.append(.sample(1), to: conversation, after: 7)
        }
        _ = try await good

        #expect(error?.code == .conflict)
        await store.close()
    }

    @Test("a full disk refuses what does not fit, and nothing else")
    func fullDisk() async throws {
        var harness = try SQLiteHarness()
        defer { harness.remove() }
        harness.configuration.maximumPages = 60
        let store = try await harness.opened(process)
        try await store.append(.sample(0), to: conversation, after: 0, lease: .open(process))
        var large = NewEvent.sample(1)
        large.payload = [UInt8](repeating: 65, count: 1_000_000)
        let tooMuch = large

        // They meet in one batch or not; either way only the large one fails.
        async let kept = store.append(.sample(1), to: conversation, after: 1)
        let error = await #expect(throws: StoreError.self) {
            try await store.append(
                tooMuch, to: ConversationID(rawValue: "large"), after: 0, lease: .open(process))
        }
        _ = try await kept

        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("disk") == true)
        #expect(try await store.lease(of: ConversationID(rawValue: "large")) == nil)
        #expect(try await store.events(after: 0, limit: 9).count == 2)
        await store.close()
    }

    @Test("a process that hangs with the lock makes others fail, not hang")
    func hangingHolder() async throws {
        var harness = try SQLiteHarness()
        defer { harness.remove() }
        harness.configuration.lockPatience = .zero
        let store = try await harness.opened(process)
        let hanging = try LockFile(path: harness.path + "-lock")
        #expect(try hanging.tryLock())

        let error = await #expect(throws: StoreError.self) {
            try await store.append(.sample(0), to: conversation, after: 0, lease: .open(process))
        }

        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("Resume it or end it") == true)
        hanging.unlock()
        try await store.append(.sample(0), to: conversation, after: 0, lease: .open(process))
        await store.close()
    }

    @Test("commits that wait together share a sync")
    func groups() async throws {
        let harness = try SQLiteHarness()
        defer { harness.remove() }
        let plan = Plan()
        let store = try await open(harness, plan)
        plan.state.withLock { $0.commits = 0 }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    // What is missing shows in the count below.
                    _ = try? await store.append(
                        .sample(number), to: ConversationID(rawValue: "cnv_\(number)"),
                        after: 0, lease: .open(process))
                }
            }
        }
        #expect(try await store.events(after: 0, limit: 999).count == 200)
        #expect(plan.state.withLock(\.commits) < 100)
        await store.close()
    }

    @Test("checkpoints keep the log short, and it keeps its first length")
    func boundedLog() async throws {
        var harness = try SQLiteHarness()
        defer { harness.remove() }
        harness.configuration.walBytes = 2 << 20
        harness.configuration.checkpointFrames = 300
        let store = try await harness.opened(process)
        func logBytes() throws -> Int {
            try FileManager.default.attributesOfItem(atPath: harness.path + "-wal")[.size]
                as? Int ?? 0
        }
        let first = try logBytes()
        #expect(first >= 2 << 20)
        var event = NewEvent.sample(1)
        event.payload = [UInt8](repeating: 65, count: 20_000)
        for number in 0..<500 {
            try await store.append(
                event, to: conversation, after: Int64(number),
                lease: number == 0 ? .open(process) : .keep)
            _ = try await store.events(of: conversation, after: Int64(number), limit: 1)
        }
        #expect(try logBytes() < first + (1 << 20))
        await store.close()
        #expect(try logBytes() < first + (1 << 20))
    }

    @Test("what was not checkpointed is there after a death")
    func death() async throws {
        let harness = try SQLiteHarness()
        defer { harness.remove() }
        let store = try await harness.opened(process)
        try await store.append(.sample(0), to: conversation, after: 0, lease: .open(process))
        store.abandon()

        let other = try await harness.opened(ProcessID(rawValue: "prc_2"))
        #expect(await !other.isAlive(process))
        #expect(try await other.events(after: 0, limit: 9).count == 1)
        #expect(try await other.leases(heldBy: process, limit: 9).count == 1)
        await other.close()
    }
}
