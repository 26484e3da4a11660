import LinuxPlatform
import Testing

@Suite("System clock", .timeLimit(.minutes(1)))
struct SystemClockTests {
    @Test("a cancelled sleep ends at once, and one of no length does not begin")
    func cancelledSleep() async throws {
        try await SystemClock.sleep(for: .zero)
        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await SystemClock.sleep(for: .seconds(3600)) }
            group.cancelAll()
            await #expect(throws: CancellationError.self) { try await group.next() }
        }
    }
}
