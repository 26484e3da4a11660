internal import LinuxPlatform

/// A parent for tests to kill: it runs a command as a child under a guard, hands on what the
/// child writes, and waits for ever.
struct HeldChild: ChildObserver {
    static let mode = "__hold"

    static func run(_ words: [String]) -> Never {
        do {
            _ = try ChildProcess.start(
                ChildCommand(
                    command: words.first ?? "", arguments: Array(words.dropFirst()),
                    environment: ChildEnvironment.minimal(adding: [:]),
                    grace: .milliseconds(300)),
                observer: HeldChild())
        } catch {
            Main.complain("\(error)")
            CurrentProcess.endAtOnce(code: 1)
        }
        while true { CurrentProcess.block(for: .seconds(3_600)) }
    }

    func childStarted(process: Int32) {}

    func childWrote(_ bytes: [UInt8]) { hand(bytes, on: 1) }

    func childComplained(_ bytes: [UInt8]) { hand(bytes, on: 2) }

    func childEnded(_ exit: ChildExit, unsent: Set<UInt64>) {
        CurrentProcess.endAtOnce(code: exit == .exited(0) ? 0 : 1)
    }

    private func hand(_ bytes: [UInt8], on descriptor: Int32) {
        // Without a reader there is nobody to tell.
        try? CurrentProcess.writeAll(bytes, to: descriptor)
    }
}
