import DurableTesting
import Foundation

extension SeededGenerator {
    /// A generator with the seed that `DURABLE_MCP_SEED` names, or any other; it is printed.
    static func announced(_ what: String) -> SeededGenerator {
        let wish = ProcessInfo.processInfo.environment["DURABLE_MCP_SEED"].flatMap { UInt64($0) }
        let seed = wish ?? UInt64.random(in: 0..<1_000_000)
        print("\(what): DURABLE_MCP_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }
}
