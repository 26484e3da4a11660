internal import FoundationEssentials
internal import LinuxPlatform

@main
struct Main {
    static func main() {
        let words = ProcessInfo.processInfo.arguments
        if GuardProcess.isWanted(words) {
            StandardStreams.endProcess(GuardProcess.main(arguments: words))
        }
        let command: Command
        do {
            command = try CommandParser(commands: CommandSpecification.all)
                .parse(Array(words.dropFirst()))
        } catch {
            StandardStreams.writeError("\(error)\n")
            StandardStreams.endProcess(ExitCode.usedWrongly.rawValue)
        }
        // Before there is another thread, since threads inherit it.
        if case .serve = command { EndSignals.hold() }
        Task.detached {
            let bodies = CommandBodies(surroundings: .current())
            StandardStreams.endProcess(await bodies.run(command).rawValue)
        }
        // An asynchronous `main` would hand this thread to a queue that takes signals again.
        CurrentProcess.park()
    }
}
