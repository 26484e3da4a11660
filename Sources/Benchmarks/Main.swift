internal import LinuxPlatform
internal import OrderedJSON

/// Measures what durability costs; `--json` prints one object a figure.
@main
struct Main {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.allSatisfy({ $0 == "--json" }) else {
            StandardStreams.writeError("usage: Benchmarks [--json]\n")
            StandardStreams.endProcess(2)
        }
        do {
            for figure in try await figures() {
                let line =
                    arguments.isEmpty ? figure.line : JSONValue.object(figure.json).text
                StandardStreams.writeOutput(line + "\n")
            }
        } catch {
            StandardStreams.writeError("\(error)\n")
            StandardStreams.endProcess(1)
        }
    }

    private static func figures() async throws -> [Figure] {
        let bench = try Workbench()
        defer { bench.remove() }
        let commit = try await CommitCost(bench: bench).measure(1000)
        let calls = try await ProxiedCalls(bench: bench).measure(2000, commit: commit)
        let takeover = try await Takeover(bench: bench).measure(5)
        return [Figure(name: "commit", value: commit, unit: "µs")] + calls + [takeover]
    }
}
