internal import LinuxPlatform

/// The passing of time, as a client sees it; tests give their own.
public struct ClientTime: Sendable {
    /// Time since some fixed moment; never goes back.
    public var now: @Sendable () -> Duration
    /// Waits; throws when the calling task is cancelled.
    public var sleep: @Sendable (Duration) async throws -> Void

    /// Time of these sources.
    public init(
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.sleep = sleep
    }

    /// The machine's own time.
    public static let machine: ClientTime = {
        let clock = ContinuousClock()
        let start = clock.now
        return ClientTime(
            now: { clock.now - start }, sleep: { try await SystemClock.sleep(for: $0) })
    }()
}
