import DurableTesting

extension SeededGenerator {
    /// The seed of this run of the tests, printed so that a failure can be repeated.
    static let seed: UInt64 = {
        let seed = UInt64.random(in: .min ... .max)
        print("JSON tests use the seed \(seed)")
        return seed
    }()
}
