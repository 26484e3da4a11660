import DurableLog
import DurableTesting
import Testing

@Suite("Failing event store")
struct FailingEventStoreTests {
    private let process = ProcessID(rawValue: "prc_1")
    private let conversation = ConversationID(rawValue: "cnv")

    private func attempt(
        _ failure: FailingEventStore.Failure
    ) async throws -> (code: StoreError.Code?, count: Int, isDead: Bool) {
        let inner = MemoryEventStore(tables: [], processID: process)
        let store = FailingEventStore(inner) { $0 == 1 ? failure : nil }
        try await store.append(.sample(0), to: conversation, after: 0, lease: .open(process))
        let error = await #expect(throws: StoreError.self) {
            try await store.append(.sample(1), to: conversation, after: 1)
        }
        #expect(store.operations == 2)
        let count = try inner.events(of: conversation, after: 0, limit: 9).count
        return (error?.code, count, store.isDead)
    }

    @Test("each failure does what it says")
    func failures() async throws {
        #expect(try await attempt(.refused) == (.unavailable, 1, false))
        #expect(try await attempt(.unknownNotDone) == (.outcomeUnknown, 1, false))
        #expect(try await attempt(.unknownDone) == (.outcomeUnknown, 2, false))
        #expect(try await attempt(.deadBefore) == (.unavailable, 1, true))
        #expect(try await attempt(.deadAfter) == (.unavailable, 2, true))
    }
}
