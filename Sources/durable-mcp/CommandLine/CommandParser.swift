internal import DurableMCP

/// Turns the words of a command line into a command.
struct CommandParser {
    let commands: [CommandSpecification]

    /// Reads the words after the program's name.
    func parse(_ arguments: [String]) throws(UsageError) -> Command {
        // Between our own processes nothing is checked twice.
        if arguments.first == "__guard" {
            return .guardProcess(arguments: Array(arguments.dropFirst()))
        }
        switch arguments.first {
        case nil:
            throw UsageError(message: "a command is missing.", command: [])
        case "--help", "-h":
            return .help(text: HelpText(commands: commands).program())
        case "--version", "-V":
            return .version(VersionCommand(json: arguments.contains("--json")))
        case "help":
            return .help(text: try help(on: Array(arguments.dropFirst())))
        default:
            break
        }
        let specification = try command(named: arguments)
        let rest = arguments.dropFirst(specification?.words.count ?? 1)
        guard let specification else {
            // A group, such as `runs`, by itself: only help can follow.
            let group = arguments[0]
            if let next = rest.first, ["--help", "-h"].contains(next) {
                return .help(text: HelpText(commands: commands).group(group))
            }
            throw UsageError(
                message: "'\(group)' needs one of: \(members(of: group).joined(separator: ", ")).",
                command: [group])
        }
        if rest.prefix(while: { $0 != "--" }).contains(where: { ["--help", "-h"].contains($0) }) {
            return .help(text: HelpText(commands: commands).command(specification))
        }
        return try specification.make(try Self.arguments(of: specification, Array(rest)))
    }

    private func members(of group: String) -> [String] {
        commands.filter { $0.words.count == 2 && $0.words[0] == group }.map { $0.words[1] }
    }

    private var firstWords: [String] {
        commands.map { $0.words[0] }.reduce(into: []) { words, word in
            if !words.contains(word) { words.append(word) }
        }
    }

    /// The command that the words begin with, or nil where they name a group alone.
    private func command(named words: [String]) throws(UsageError) -> CommandSpecification? {
        let first = words[0]
        if let single = commands.first(where: { $0.words == [first] }) { return single }
        let members = members(of: first)
        guard !members.isEmpty else {
            if first.hasPrefix("-") {
                throw UsageError(
                    message: "a command must come before options such as '\(Self.name(first))'.",
                    command: [])
            }
            throw unknown(first, among: firstWords, after: [])
        }
        guard words.count > 1, !words[1].hasPrefix("-") else { return nil }
        guard let found = commands.first(where: { $0.words == [first, words[1]] }) else {
            throw unknown(words[1], among: members, after: [first])
        }
        return found
    }

    private func unknown(_ word: String, among known: [String], after group: [String]) -> UsageError
    {
        let whole = (group + [word]).joined(separator: " ")
        let hint = NearestName.of(word, among: known).map {
            "Did you mean '\((group + [$0]).joined(separator: " "))'?"
        }
        let list = known.joined(separator: ", ")
        return UsageError(
            message: "'\(whole)' is no command. " + (hint ?? "There are: \(list)."),
            command: group)
    }

    private func help(on words: [String]) throws(UsageError) -> String {
        let help = HelpText(commands: commands)
        guard let first = words.first else { return help.program() }
        guard let specification = try command(named: words) else { return help.group(first) }
        return help.command(specification)
    }
}

extension CommandParser {
    private static func name(_ argument: String) -> String {
        String(argument.prefix { $0 != "=" })
    }

    /// Sorts words into options and operands.
    static func arguments(
        of specification: CommandSpecification, _ words: [String]
    ) throws(UsageError) -> ParsedArguments {
        var parsed = ParsedArguments(command: specification.words)
        var words = words[...]
        var optionsHaveEnded = false
        while let word = words.popFirst() {
            if word == "--", !optionsHaveEnded {
                optionsHaveEnded = true
            } else if word.hasPrefix("-"), word.count > 1, !optionsHaveEnded {
                try take(option: word, of: specification, from: &words, into: &parsed)
            } else {
                parsed.operands.append(word)
            }
        }
        let wanted = specification.operands
        if parsed.operands.count < wanted.count {
            let missing = wanted[parsed.operands.count]
            throw parsed.error("\(missing.name) is missing: \(missing.help)")
        }
        if parsed.operands.count > wanted.count {
            throw parsed.error("'\(parsed.operands[wanted.count])' is one argument too many.")
        }
        for (operand, text) in zip(wanted, parsed.operands) where text.isEmpty {
            throw parsed.error("\(operand.name) is empty: \(operand.help)")
        }
        return parsed
    }

    private static func take(
        option word: String, of specification: CommandSpecification,
        from words: inout ArraySlice<String>, into parsed: inout ParsedArguments
    ) throws(UsageError) {
        let name = name(word)
        guard let option = specification.allOptions.first(where: { $0.name == name }) else {
            let known = specification.allOptions.filter { !$0.isHidden }.map(\.name)
            let hint = NearestName.of(name, among: known).map { " Did you mean '\($0)'?" }
            throw parsed.error("the option '\(name)' is not known here.\(hint ?? "")")
        }
        guard let placeholder = option.value else {
            guard word == name else { throw parsed.error("\(name) takes no value.") }
            parsed.flags.insert(name)
            return
        }
        let value: String
        if word != name {
            value = String(word.dropFirst(name.count + 1))
        } else {
            // An option in place of the value means that the value was forgotten.
            guard let next = words.first, next == "-" || !next.hasPrefix("-") else {
                throw parsed.error("\(name) needs a value: \(name) \(placeholder).")
            }
            value = next
            words.removeFirst()
        }
        guard !value.isEmpty else {
            throw parsed.error("\(name) needs a value: \(name) \(placeholder).")
        }
        guard option.isRepeatable || parsed.values[name] == nil else {
            throw parsed.error("\(name) is given twice.")
        }
        parsed.values[name, default: []].append(value)
    }
}
