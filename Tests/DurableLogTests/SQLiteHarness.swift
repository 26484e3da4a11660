import DurableLog
import DurableLogSQLite
import DurableTesting
import Foundation

/// A SQLite file in a folder of its own, shared by the stores opened on it.
struct SQLiteHarness: StoreHarness {
    let folder: String
    var tables = EventStoreContract.tables
    var configuration = SQLiteConfiguration()

    init() throws {
        folder = "/tmp/durable-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        // The contract needs no fast log, and many logs would fill the disk.
        configuration.walBytes = 0
    }

    var path: String { "\(folder)/store.sqlite" }

    func open(_ process: ProcessID) async throws -> any EventStore { try await opened(process) }

    func opened(_ process: ProcessID) async throws -> SQLiteEventStore {
        try await SQLiteEventStore.open(
            path: path, tables: tables, processID: process, configuration: configuration)
    }

    func kill(_ store: any EventStore) async throws {
        guard let store = store as? SQLiteEventStore else {
            preconditionFailure("This harness opens SQLite stores alone.")
        }
        store.abandon()
    }

    func remove() {
        // What is left in /tmp harms no other test.
        try? FileManager.default.removeItem(atPath: folder)
    }
}
