import DurableLog
import DurableLogSQLite
import DurableTesting
import Foundation
import Testing

@Suite("SQLite store file", .timeLimit(.minutes(2)))
struct SQLiteFileTests {
    private let harness: SQLiteHarness

    init() throws { harness = try SQLiteHarness() }

    private func failure(path: String) async -> StoreError? {
        await #expect(throws: StoreError.self) {
            try await SQLiteEventStore.open(
                path: path, tables: [], processID: ProcessID(rawValue: "prc_failing"))
        }
    }

    @Test("a missing folder is named, with what to do")
    func missingFolder() async throws {
        defer { harness.remove() }
        let error = await failure(path: "\(harness.folder)/no/store.sqlite")
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("\(harness.folder)/no/store.sqlite") == true)
        #expect(error?.message.contains("Check that its folder exists") == true)
    }

    @Test("a folder that nobody can write is named, with what to do")
    func readOnlyFolder() async throws {
        defer { harness.remove() }
        // Even root can make no file there.
        let error = await failure(path: "/sys/kernel/store.sqlite")
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("/sys/kernel/store.sqlite") == true)
        #expect(error?.message.contains("may write it") == true)
    }

    @Test("files are for their user alone")
    func modes() async throws {
        defer { harness.remove() }
        let store = try await harness.opened(ProcessID(rawValue: "prc_modes"))
        func mode(_ suffix: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: harness.path + suffix)[
                .posixPermissions] as? Int
        }
        for suffix in ["", "-wal", "-shm", "-lock", "-processes/prc_modes.lock"] {
            #expect(try mode(suffix) == 0o600, "\(suffix)")
        }
        #expect(try mode("-processes") == 0o700)
        await store.close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: harness.path + "-processes") == [])
    }

    @Test("nothing is acknowledged once a file was removed or replaced", arguments: ["", "-lock"])
    func removed(suffix: String) async throws {
        defer { harness.remove() }
        let process = ProcessID(rawValue: "prc_first")
        let store = try await harness.opened(process)
        let conversation = ConversationID(rawValue: "c")
        try await store.append(.sample(0), to: conversation, after: 0, lease: .open(process))
        for isReplaced in [false, true] {
            try? FileManager.default.removeItem(atPath: harness.path + suffix)  // Gone is gone.
            if isReplaced { await (try harness.opened(ProcessID(rawValue: "prc_new"))).close() }
            let error = await #expect(throws: StoreError.self) {
                try await store.append(.sample(1), to: conversation, after: 1)
            }
            #expect(error?.code == .unavailable)
            #expect(error?.message.contains("removed or replaced") == true)
        }
        await store.close()
    }

    @Test("what is no database is refused and left alone")
    func noDatabase() async throws {
        defer { harness.remove() }
        let text = Data(String(repeating: "This is a letter to my mother. ", count: 300).utf8)
        try text.write(to: URL(filePath: harness.path))
        let error = await failure(path: harness.path)
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains(harness.path) == true)
        #expect(try Data(contentsOf: URL(filePath: harness.path)) == text)
    }

    @Test("another program's database is refused")
    func anotherProgram() async throws {
        defer { harness.remove() }
        try SQLite.run("CREATE TABLE bookmarks (url)", on: harness.path)
        let error = await failure(path: harness.path)
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("another program") == true)
    }

    @Test("a store of a newer version is refused, saying both versions")
    func newerVersion() async throws {
        defer { harness.remove() }
        await (try harness.opened(ProcessID(rawValue: "prc_old"))).close()
        try SQLite.run("PRAGMA user_version = 77", on: harness.path)
        let error = await failure(path: harness.path)
        #expect(error?.code == .newerVersion)
        #expect(error?.message.contains("77") == true)
    }

    @Test("a damaged page is told from an empty log")
    func damagedPage() async throws {
        defer { harness.remove() }
        let store = try await harness.opened(ProcessID(rawValue: "prc_1"))
        for number in 0..<30 {
            var event = NewEvent.sample(number)
            event.payload = [UInt8](repeating: 65, count: 3_000)
            try await store.append(
                event, to: ConversationID(rawValue: "cnv"), after: Int64(number),
                lease: number == 0 ? .open(store.processID) : .keep)
        }
        await store.close()
        try FileManager.default.removeItem(atPath: harness.path + "-wal")
        var bytes = try Data(contentsOf: URL(filePath: harness.path))
        let middle = bytes.count / 2 / 4096 * 4096
        bytes.replaceSubrange(
            middle..<(middle + 8 * 4096), with: Data(repeating: 0xA5, count: 8 * 4096))
        try bytes.write(to: URL(filePath: harness.path))

        let damaged = try await harness.opened(ProcessID(rawValue: "prc_2"))
        let error = await #expect(throws: StoreError.self) {
            try await damaged.events(after: 0, limit: 100)
        }
        #expect(error?.code == .corrupt)
        await damaged.close()
    }

    @Test("declared tables gain columns and indexes, and keep their rows")
    func migration() async throws {
        defer { harness.remove() }
        var old = harness
        old.tables = [
            TableSchema(
                "runs", columns: [.init("id", .text), .init("status", .text)],
                primaryKey: ["id"], isProjection: true)
        ]
        let store = try await old.opened(ProcessID(rawValue: "prc_1"))
        try await store.commit(
            Commit(writes: [
                .put(table: "runs", row: ["id": .text("a"), "status": .text("new")])
            ]))
        await store.close()

        let newer = try await harness.opened(ProcessID(rawValue: "prc_2"))
        try await newer.commit(
            Commit(writes: [
                .update(table: "runs", key: ["id": .text("a")], set: ["created": .integer(4)])
            ]))
        let rows = try await newer.rows(TableQuery("runs"))
        #expect(
            rows == [
                [
                    "id": .text("a"), "status": .text("new"), "created": .integer(4),
                    "ended": .null, "body": .null,
                ]
            ])
        let indexes = try SQLite.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'runs'",
            on: harness.path)
        #expect(indexes.contains("runs_by_status_created"))
        await newer.close()
    }

    @Test("a path through a symbolic link is the same store")
    func symbolicLink() async throws {
        defer { harness.remove() }
        let store = try await harness.opened(ProcessID(rawValue: "prc_1"))
        let link = "\(harness.folder)/link.sqlite"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: harness.path)
        let other = try await SQLiteEventStore.open(
            path: link, tables: harness.tables, processID: ProcessID(rawValue: "prc_2"),
            configuration: harness.configuration)
        #expect(await other.isAlive(store.processID))
        #expect(!FileManager.default.fileExists(atPath: "\(link)-lock"))
        await store.close()
        await other.close()
    }

    @Test("a process id is not used twice")
    func processTwice() async throws {
        defer { harness.remove() }
        let store = try await harness.opened(ProcessID(rawValue: "prc_1"))
        await #expect(throws: StoreError.self) { try await harness.opened(store.processID) }
        #expect(await store.isAlive(store.processID))
        await store.close()
    }

    @Test("an event of 500 bytes takes at most 110 more in the file")
    func size() async throws {
        defer { harness.remove() }
        let store = try await harness.opened(ProcessID(rawValue: "prc_1"))
        let count = 20_000
        let perConversation = 20
        await withTaskGroup(of: Void.self) { group in
            for conversation in 0..<(count / perConversation) {
                group.addTask {
                    let events = (0..<perConversation).map { number in
                        var event = NewEvent.sample(number)
                        event.payload = [UInt8](repeating: 65, count: 500)
                        return event
                    }
                    _ = try? await store.commit(  // What is missing shows in the count below.
                        Commit(appends: [
                            Append(
                                conversation: ConversationID(
                                    rawValue: "cnv_0123456789abcdef01234\(conversation)"),
                                expectedSequence: 0, epoch: 1, events: events,
                                lease: .openAndRelease(store.processID))
                        ]))
                }
            }
        }
        await store.close()
        #expect(
            try SQLite.rows("SELECT count(*) FROM log_events", on: harness.path) == ["\(count)"])
        let attributes = try FileManager.default.attributesOfItem(atPath: harness.path)
        let bytes = try #require(attributes[.size] as? Int)
        #expect(Double(bytes) / Double(count) <= 610)
    }
}
