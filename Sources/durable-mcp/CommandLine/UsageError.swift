/// A command line that is not understood.
struct UsageError: Error, Equatable, CustomStringConvertible {
    /// What was wrong, and what is right.
    let message: String
    /// The command whose help tells more; empty for the program's.
    let command: [String]

    var description: String {
        let help = (["durable-mcp"] + command + ["--help"]).joined(separator: " ")
        return "durable-mcp: \(message)\nTry '\(help)'."
    }
}
