internal import LinuxPlatform

/// The time that a server's deadlines go by.
public protocol HTTPClock: Sendable {
    /// Nanoseconds since some moment in the past; never goes back.
    func nanoseconds() -> Int64

    /// Seconds since 1970, for the `Date` field.
    func secondsSince1970() -> Int64

    /// Takes note of whom to call when time was set forward by hand; a real clock need not.
    func whenAdvanced(_ wake: @escaping @Sendable () -> Void)
}

/// The kernel's time.
public struct SystemHTTPClock: HTTPClock {
    /// Makes the clock.
    public init() {}

    /// Reads `CLOCK_MONOTONIC`.
    public func nanoseconds() -> Int64 { SystemClock.monotonicNanoseconds() }

    /// Reads `CLOCK_REALTIME`.
    public func secondsSince1970() -> Int64 { SystemClock.millisecondsSince1970() / 1_000 }

    /// Does nothing: this clock is never set.
    public func whenAdvanced(_ wake: @escaping @Sendable () -> Void) {}
}
