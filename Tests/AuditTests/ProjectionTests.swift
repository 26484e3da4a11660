import Audit
import DurableEngine
import DurableLog
import Testing

@Suite("The tables beside the log", .timeLimit(.minutes(1)))
struct ProjectionTests {
    @Test("what the engine wrote is what its events imply")
    func equal() async throws {
        let log = try await SampleLog()
        let verdict = try await Auditor.open(store: log.store).verifyProjections()
        #expect(verdict.findings == [])
        #expect(verdict.conversationCount == 5)
    }

    @Test("a row that was changed, removed or added is found and named")
    func different() async throws {
        let log = try await SampleLog()
        let store = log.store
        let auditor = try await Auditor.open(store: store)
        let key: Row = ["runId": .text(log.paid.rawValue)]
        let row = try #require(
            try store.rows(TableQuery("runs", where: key.mapValues { .equals($0) })).first)

        _ = try store.commit(
            Commit(writes: [.update(table: "runs", key: key, set: ["status": .text("failed")])]))
        let changed = try await auditor.verifyProjections()
        #expect(changed.findings.map(\.kind) == [.projection])
        #expect(changed.findings.first?.message.contains("'status'") == true)
        #expect(changed.findings.first?.message.contains(log.paid.rawValue) == true)

        _ = try store.commit(Commit(writes: [.delete(table: "runs", key: key)]))
        let removed = try await auditor.verifyProjections()
        #expect(removed.findings.map(\.message).contains { $0.contains("is gone") })
        #expect(removed.findingCount == 1)

        var other = row
        other["runId"] = .text("run_invented")
        _ = try store.commit(
            Commit(writes: [.put(table: "runs", row: row), .put(table: "runs", row: other)]))
        let added = try await auditor.verifyProjections()
        #expect(added.findings.map(\.message).contains { $0.contains("follows from no event") })
        #expect(added.findingCount == 1)
    }

    @Test("a conversation that cannot be read is a finding, not the end")
    func unreadable() async throws {
        let log = try await SampleLog()
        try log.store.edit { $0[0].event.time += 1 }
        let verdict = try await Auditor.open(store: log.store).verifyProjections()
        #expect(verdict.findings.map(\.kind).contains(.unreadable))
        #expect(verdict.conversationCount == 5)
    }
}
