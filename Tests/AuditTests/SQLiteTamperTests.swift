import Audit
import CSQLite
import DurableEngine
import DurableLog
import DurableLogSQLite
import Foundation
import Testing

/// One change to a store's file with a database tool.
struct FileTampering: CustomStringConvertible, Sendable {
    let description: String
    let kinds: Set<AuditFinding.Kind>
    let statements: [String]

    static let all = [
        FileTampering(
            description: "a byte of a payload", kinds: [.changed],
            statements: [
                """
                UPDATE log_events SET payload = CAST(replace(CAST(payload AS TEXT),
                    'external', 'externaI') AS BLOB) WHERE position = 3
                """
            ]),
        FileTampering(
            description: "a time", kinds: [.changed],
            statements: ["UPDATE log_events SET time = time + 1 WHERE position = 4"]),
        FileTampering(
            description: "an epoch", kinds: [.changed],
            statements: ["UPDATE log_events SET epoch = 9 WHERE position = 4"]),
        FileTampering(
            description: "a digest", kinds: [.changed],
            statements: ["UPDATE log_events SET digest = zeroblob(32) WHERE position = 4"]),
        FileTampering(
            description: "the name of a conversation", kinds: [.changed],
            statements: ["UPDATE log_conversations SET name = 'cnv_other' WHERE id = 1"]),
        FileTampering(
            description: "the name of a type", kinds: [.changed],
            statements: [
                "UPDATE log_types SET name = 'run.parked' WHERE name = 'run.started'"
            ]),
        FileTampering(
            description: "an event gone", kinds: [.missing],
            statements: ["DELETE FROM log_events WHERE position = 4"]),
        FileTampering(
            description: "two events in each other's place", kinds: [.misplaced],
            statements: [
                "UPDATE log_events SET position = -1 WHERE position = 3",
                "UPDATE log_events SET position = 3 WHERE position = 4",
                "UPDATE log_events SET position = 4 WHERE position = -1",
            ]),
        FileTampering(
            description: "the end cut off", kinds: [.tip],
            statements: [
                "DELETE FROM log_events WHERE position > (SELECT max(position) - 2 FROM log_events)"
            ]),
        FileTampering(
            description: "a whole conversation gone", kinds: [.tip],
            statements: ["DELETE FROM log_events WHERE conversation = 1"]),
        FileTampering(
            description: "everything gone", kinds: [.tip], statements: ["DELETE FROM log_events"]),
    ]
}

@Suite("A store's file that was changed", .timeLimit(.minutes(1)))
struct SQLiteTamperTests {
    private func open(_ path: String, as name: String) async throws -> SQLiteEventStore {
        try await SQLiteEventStore.open(
            path: path, tables: EngineTables.all, processID: ProcessID(rawValue: name))
    }

    @Test("what was changed is found, as on a log in memory", arguments: FileTampering.all)
    func tampering(_ tampering: FileTampering) async throws {
        let path = "/tmp/durable-mcp-audit-\(UUID().uuidString).sqlite"
        defer {
            for end in ["", "-wal", "-shm", "-lock", "-processes"] {
                // What is left in /tmp harms nobody.
                try? FileManager.default.removeItem(atPath: path + end)
            }
        }
        let first = try await open(path, as: "prc_first")
        try await SampleLog.fill(first)
        let auditor = try await Auditor.open(store: first)
        let before = try await auditor.verify()
        #expect(before.findings == [])
        await first.close()

        for statement in tampering.statements { try Self.execute(statement, on: path) }

        let second = try await open(path, as: "prc_second")
        let after = try await Auditor.open(store: second).verify(expecting: before.tip)
        #expect(!after.isIntact)
        let kinds = Set(after.findings.map(\.kind))
        #expect(kinds.isSuperset(of: tampering.kinds), "\(after.findings)")
        #expect(kinds.subtracting(tampering.kinds).isSubset(of: [.tip]), "\(after.findings)")
        await second.close()
    }

    private static func execute(_ statement: String, on path: String) throws {
        var database: OpaquePointer?
        defer { sqlite3_close_v2(database) }
        try #require(sqlite3_open(path, &database) == SQLITE_OK)
        let code = sqlite3_exec(database, statement, nil, nil, nil)
        try #require(code == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database)))")
        try #require(sqlite3_changes(database) > 0)
    }
}
