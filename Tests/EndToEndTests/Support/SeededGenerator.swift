import Foundation

/// A generator whose numbers follow from its seed, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        // SplitMix64.
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SeededGenerator {
    /// A generator with the seed that `DURABLE_MCP_SEED` names, or any other; it is printed.
    static func announced(_ what: String) -> SeededGenerator {
        let wish = ProcessInfo.processInfo.environment["DURABLE_MCP_SEED"].flatMap { UInt64($0) }
        let seed = wish ?? UInt64.random(in: 0..<1_000_000)
        print("\(what): DURABLE_MCP_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }
}
