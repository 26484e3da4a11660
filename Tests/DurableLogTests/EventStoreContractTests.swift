import DurableLog
import DurableLogSQLite
import DurableTesting
import Testing

@Suite("Event store contract", .timeLimit(.minutes(2)))
struct EventStoreContractTests {
    @Test("the in-memory store keeps the contract", arguments: EventStoreContract.cases)
    func memory(fact: ContractCase) async throws {
        try await fact.check(MemoryHarness())
    }

    @Test("the SQLite store keeps the contract", arguments: EventStoreContract.cases)
    func sqlite(fact: ContractCase) async throws {
        let harness = try SQLiteHarness()
        defer { harness.remove() }
        try await fact.check(harness)
    }
}
