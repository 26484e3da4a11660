internal import DurableEngine
internal import LinuxPlatform
internal import Synchronization

/// Where a server ends as `kill -9` ends it, for tests of what is left behind.
final class CrashPoint: Sendable {
    private let failpoint: Failpoint
    private let tool: String?
    private let hitsLeft: Mutex<Int>

    private init(_ failpoint: Failpoint, of tool: String?, hits: Int) {
        self.failpoint = failpoint
        self.tool = tool
        hitsLeft = Mutex(hits)
    }

    /// Reads `NAME[:TOOL][:COUNT]`: at the COUNT-th time (1 where left out), of one tool or any.
    static func parse(_ text: String) throws(CommandFailure) -> CrashPoint {
        var parts = text.split(separator: ":").map(String.init)
        let names = Failpoint.allCases.map(\.rawValue).joined(separator: ", ")
        guard let name = parts.first, let failpoint = Failpoint(rawValue: name) else {
            throw .usedWrongly("--failpoint must name one of \(names).")
        }
        parts.removeFirst()
        var count = 1
        if let last = parts.last, let number = Int(last), number > 0 {
            count = number
            parts.removeLast()
        }
        guard parts.count <= 1 else { throw .usedWrongly("--failpoint is NAME[:TOOL][:COUNT].") }
        return CrashPoint(failpoint, of: parts.first, hits: count)
    }

    /// Comes by a failpoint.
    func pass(_ failpoint: Failpoint, _ tool: String) {
        guard failpoint == self.failpoint, self.tool.map({ $0 == tool }) ?? true else { return }
        let isDue = hitsLeft.withLock { hits in
            hits -= 1
            return hits == 0
        }
        if isDue { CurrentProcess.crash() }
    }
}
