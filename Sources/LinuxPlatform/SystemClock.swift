internal import CLinux

/// The machine's clocks.
package enum SystemClock {
    /// Time since the machine started, asleep or not (`CLOCK_BOOTTIME`); never goes back.
    package static func sinceBoot() -> Duration {
        let time = read(CLOCK_BOOTTIME)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Milliseconds since 1970 (`CLOCK_REALTIME`); may be set back.
    package static func millisecondsSince1970() -> Int64 {
        let time = read(CLOCK_REALTIME)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// Nanoseconds since some moment in the past, while the machine is awake (`CLOCK_MONOTONIC`).
    package static func monotonicNanoseconds() -> Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Suspends for a time that goes on through a machine's sleep.
    ///
    /// It is done in short pieces: what a sleep holds is freed when its time has come, even where
    /// it was cancelled long before, and a time-out of a minute for each of a thousand calls a
    /// second would add up.
    package static func sleep(for duration: Duration) async throws {
        let clock = ContinuousClock()
        let end = clock.now + duration
        while clock.now < end { try await clock.sleep(until: min(end, clock.now + sleepPiece)) }
    }

    private static let sleepPiece: Duration = .milliseconds(500)

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // Cannot fail: these clocks exist on every Linux that this runs on.
        clock_gettime(clock, &time)
        return time
    }
}
