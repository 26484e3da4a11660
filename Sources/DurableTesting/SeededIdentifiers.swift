public import DurableEngine
internal import Synchronization

/// Random numbers that a seed repeats (SplitMix64), for tests and simulations.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The sequence of this seed.
    public init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// Ids that a seed repeats.
public final class SeededIdentifiers: IdentifierSource {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    private let generator: Mutex<SeededGenerator>

    /// The ids of this seed.
    public init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }

    /// 26 base32 characters.
    public func next() -> String {
        generator.withLock { generator in
            String((0..<26).map { _ in Self.alphabet[Int(generator.next() & 31)] })
        }
    }

    /// Always 1: a test knows when a retry comes.
    public func jitter() -> Double { 1 }
}
