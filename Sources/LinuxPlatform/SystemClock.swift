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

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // Cannot fail: these clocks exist on every Linux that this runs on.
        clock_gettime(clock, &time)
        return time
    }
}
