internal import CLinux

/// The kernel's clocks, as plain numbers.
package enum SystemTime {
    /// Nanoseconds since some moment in the past; never goes back (`CLOCK_MONOTONIC`).
    package static func monotonicNanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Seconds since 1970, as people count them; may jump (`CLOCK_REALTIME`).
    package static func secondsSince1970() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }
}
