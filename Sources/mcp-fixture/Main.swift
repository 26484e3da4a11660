internal import LinuxPlatform

/// A small MCP server for tests and the demo, whose tools do things that can be counted in a
/// ledger file afterwards.
@main
struct Main {
    static func main() {
        let arguments = CommandLine.arguments
        if GuardProcess.isWanted(arguments) {
            CurrentProcess.endAtOnce(code: GuardProcess.main(arguments: arguments))
        }
        if arguments.dropFirst().first == HeldChild.mode {
            HeldChild.run(Array(arguments.dropFirst(2)))
        }
        do {
            let options = try Options(arguments: Array(arguments.dropFirst()))
            if options.failsToStart {
                complain("cannot start: its configuration says so")
                CurrentProcess.endAtOnce(code: 3)
            }
            CurrentProcess.block(for: options.startDelay)
            let ledger = try options.ledgerPath.map { try Ledger(path: $0) }
            FixtureServer(options: options, ledger: ledger).run()
        } catch {
            complain("\(error)")
            CurrentProcess.endAtOnce(code: 2)
        }
    }

    /// Writes a line to standard error.
    static func complain(_ text: String) {
        // Without a reader there is nobody to tell.
        try? CurrentProcess.writeAll(Array("mcp-fixture: \(text)\n".utf8), to: 2)
    }
}
