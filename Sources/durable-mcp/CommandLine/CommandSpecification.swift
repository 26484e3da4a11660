/// What a command takes, and how its help reads.
struct CommandSpecification: Sendable {
    /// The words that name it, such as `runs`, `list`.
    var words: [String]
    /// One line.
    var summary: String
    /// What else there is to know, in paragraphs of whole lines.
    var discussion = ""
    /// What stands without a dash, in order; all of it is required.
    var operands: [Operand] = []
    /// Beside those that every command has.
    var options: [Option] = []
    var examples: [String] = []
    /// Makes the command of what was parsed.
    var make: @Sendable (ParsedArguments) throws(UsageError) -> Command

    struct Operand: Sendable {
        /// In capitals, as help shows it.
        var name: String
        var help: String
    }

    struct Option: Sendable {
        /// With its dashes.
        var name: String
        /// What follows it, in capitals; nil for a flag.
        var value: String?
        var help: String
        var isHidden = false
        var isRepeatable = false
    }

    /// What every command accepts.
    static let commonOptions = [
        Option(
            name: "--config", value: "FILE", help: "The server config (JSON, comments allowed)."),
        Option(
            name: "--store", value: "URL",
            help: "Where the log is: sqlite:PATH or memory:. Over what the config says."),
        Option(name: "--help", value: nil, help: "Shows this text."),
    ]

    static let json = Option(
        name: "--json", value: nil, help: "Prints JSON instead of text for people.")

    /// Every option it accepts.
    var allOptions: [Option] { options + Self.commonOptions }
}

/// The arguments of one command, checked against its specification.
struct ParsedArguments {
    let command: [String]
    var operands: [String] = []
    var values: [String: [String]] = [:]
    var flags: Set<String> = []

    subscript(option: String) -> String? { values[option]?.last }

    var common: CommonOptions {
        CommonOptions(config: self["--config"], store: self["--store"])
    }

    var json: Bool { flags.contains("--json") }

    /// A whole number of this option, or `standard` where it is absent.
    func integer(
        _ option: String, in range: ClosedRange<Int>, standard: Int
    ) throws(UsageError) -> Int {
        guard let text = self[option] else { return standard }
        guard let number = Int(text), range.contains(number) else {
            throw error(
                "\(option) must be a whole number from \(range.lowerBound) to \(range.upperBound), "
                    + "not '\(text)'.")
        }
        return number
    }

    /// A word of a closed list, or nil where the option is absent.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ option: String, of type: Choice.Type
    ) throws(UsageError) -> Choice? where Choice.RawValue == String {
        guard let text = self[option] else { return nil }
        return try choice(option, text, of: type)
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ option: String, _ text: String, of type: Choice.Type
    ) throws(UsageError) -> Choice where Choice.RawValue == String {
        if let choice = Choice(rawValue: text) { return choice }
        let words = type.allCases.map(\.rawValue).joined(separator: ", ")
        throw error("\(option) must be one of \(words), not '\(text)'.")
    }

    func error(_ message: String) -> UsageError { UsageError(message: message, command: command) }
}
