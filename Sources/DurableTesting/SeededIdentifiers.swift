public import DurableEngine
internal import Synchronization

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
