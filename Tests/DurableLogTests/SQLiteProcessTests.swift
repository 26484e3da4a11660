import DurableLog
import DurableLogSQLite
import DurableTesting
import Foundation
import Testing

@Suite("SQLite store and processes", .timeLimit(.minutes(2)))
struct SQLiteProcessTests {
    private static func lane(_ name: String) -> ConversationID {
        ConversationID(rawValue: "cnv_\(name)")
    }

    @Test("two processes write one file at once, and a killed one leaves what it committed")
    func twoProcesses() async throws {
        var harness = try SQLiteHarness()
        defer { harness.remove() }
        // Often enough that each process checkpoints while the other commits.
        harness.configuration.checkpointFrames = 20
        let store = try await harness.opened(ProcessID(rawValue: "prc_parent"))
        let path = harness.path

        async let child = #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            var configuration = SQLiteConfiguration()
            configuration.checkpointFrames = 20
            let store = try await SQLiteEventStore.open(
                path: path, tables: EventStoreContract.tables,
                processID: ProcessID(rawValue: "prc_child"), configuration: configuration)
            let conversation = ConversationID(rawValue: "cnv_child")
            for number in 0..<200 {
                try await store.append(
                    .sample(number), to: conversation, after: Int64(number),
                    lease: number == 0 ? .open(store.processID) : .keep)
            }
            await store.wake(ProcessID(rawValue: "prc_parent"))
            kill(getpid(), SIGKILL)
        }
        let conversation = Self.lane("parent")
        for number in 0..<200 {
            try await store.append(
                .sample(number), to: conversation, after: Int64(number),
                lease: number == 0 ? .open(store.processID) : .keep)
        }
        for await _ in store.wakes { break }
        _ = await child

        let dead = ProcessID(rawValue: "prc_child")
        #expect(try await store.events(of: Self.lane("child"), after: 0, limit: 999).count == 200)
        #expect(try await store.events(of: conversation, after: 0, limit: 999).count == 200)
        #expect(await !store.isAlive(dead))
        #expect(
            try await store.acquireLease(
                of: Self.lane("child"), for: store.processID, takingFrom: dead)
                == .granted(epoch: 2))
        try await store.forget(dead)
        #expect(try await store.processes() == [store.processID])
        let files = try FileManager.default.contentsOfDirectory(atPath: path + "-processes")
        #expect(files.allSatisfy { $0.hasPrefix("prc_parent") })
        await store.close()
        #expect(try SQLite.rows("PRAGMA integrity_check", on: path) == ["ok"])
    }

    @Test("a write that the system refuses is answered as not done, and the store goes on")
    func refusedWrite() async throws {
        let harness = try SQLiteHarness()
        defer { harness.remove() }
        // In a process of its own, since the limit on the size of files is one of a process.
        await #expect(processExitsWith: .success) { [path = harness.path as String] in
            var configuration = SQLiteConfiguration()
            configuration.walBytes = 0
            let store = try await SQLiteEventStore.open(
                path: path, tables: [], processID: ProcessID(rawValue: "prc_1"),
                configuration: configuration)
            let conversation = ConversationID(rawValue: "cnv")
            try await store.append(
                .sample(0), to: conversation, after: 0, lease: .open(store.processID))

            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let whole = limit.rlim_cur
            limit.rlim_cur = 400_000
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            var large = NewEvent.sample(1)
            large.payload = [UInt8](repeating: 65, count: 1_000_000)
            let event = large
            let error = await #expect(throws: StoreError.self) {
                try await store.append(event, to: conversation, after: 1)
            }
            precondition(error?.code == .unavailable, "\(String(describing: error))")
            var count = try await store.events(after: 0, limit: 9).count
            precondition(count == 1)
            try await store.append(.sample(1), to: conversation, after: 1)

            limit.rlim_cur = whole
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            try await store.append(event, to: conversation, after: 2)
            count = try await store.events(after: 0, limit: 9).count
            precondition(count == 3)
            await store.close()
        }
        #expect(try SQLite.rows("PRAGMA integrity_check", on: harness.path) == ["ok"])
    }

    @Test("what a process left that died before it registered is swept away")
    func sweep() async throws {
        let harness = try SQLiteHarness()
        defer { harness.remove() }
        await (try harness.opened(ProcessID(rawValue: "prc_1"))).close()
        let litter = "\(harness.path)-processes/prc_litter.lock"
        try Data().write(to: URL(filePath: litter))

        let store = try await harness.opened(ProcessID(rawValue: "prc_2"))

        #expect(!FileManager.default.fileExists(atPath: litter))
        await store.close()
    }

    @Test("a long path neither hinders opening nor waking")
    func longPath() async throws {
        let harness = try SQLiteHarness()
        defer { harness.remove() }
        let folder = "\(harness.folder)/\(String(repeating: "d", count: 150))"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        let stores = try await [
            SQLiteEventStore.open(
                path: "\(folder)/s", tables: [], processID: ProcessID(rawValue: "prc_1")),
            SQLiteEventStore.open(
                path: "\(folder)/s", tables: [], processID: ProcessID(rawValue: "prc_2")),
        ]
        await stores[0].wake(stores[1].processID)
        for await _ in stores[1].wakes { break }
        for store in stores { await store.close() }
    }

    @Test("an empty commit is a programmer's error")
    func emptyCommit() async {
        await #expect(processExitsWith: .failure) {
            _ = try MemoryEventStore(tables: [], processID: ProcessID(rawValue: "prc_1"))
                .commit(Commit())
        }
    }
}
