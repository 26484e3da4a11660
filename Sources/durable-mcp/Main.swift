internal import FoundationEssentials
internal import LinuxPlatform

@main
struct Main {
    static func main() async {
        let words = ProcessInfo.processInfo.arguments
        if GuardProcess.isWanted(words) {
            StandardStreams.endProcess(GuardProcess.main(arguments: words))
        }
        let arguments = words.dropFirst()
        let command: Command
        do {
            command = try CommandParser(commands: CommandSpecification.all).parse(Array(arguments))
        } catch {
            StandardStreams.writeError("\(error)\n")
            StandardStreams.endProcess(ExitCode.usedWrongly.rawValue)
        }
        StandardStreams.endProcess(run(command).rawValue)
    }

    private static func run(_ command: Command) -> ExitCode {
        switch command {
        case .help(let text):
            StandardStreams.writeOutput(text)
        case .version(let version):
            StandardStreams.writeOutput(
                version.json
                    ? "{\"name\":\"durable-mcp\",\"version\":\"\(ProductVersion.text)\"}\n"
                    : "durable-mcp \(ProductVersion.text)\n")
        default:
            StandardStreams.writeError("durable-mcp: this command has no body yet.\n")
            return .failed
        }
        return .done
    }
}
