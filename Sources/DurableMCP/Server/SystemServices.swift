public import DurableEngine
internal import LinuxPlatform
internal import OpenSSLCrypto

/// The machine's time.
public struct SystemEngineClock: EngineClock {
    /// The machine's time.
    public init() {}

    /// Milliseconds since 1970.
    public func now() -> Int64 { SystemClock.millisecondsSince1970() }

    /// Suspends for a time that goes on through a machine's sleep.
    public func sleep(for duration: Duration) async throws {
        try await SystemClock.sleep(for: duration)
    }
}

/// Ids from the system's randomness.
public struct SystemIdentifiers: IdentifierSource {
    /// Ids from the system's randomness.
    public init() {}

    /// 26 base32 characters.
    public func next() -> String { Base32.encode(SecureRandom.bytes(16)) }

    /// A factor from 0.5 up to 1.5.
    public func jitter() -> Double { Double.random(in: 0.5..<1.5) }
}
