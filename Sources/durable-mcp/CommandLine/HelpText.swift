/// The texts that `--help` shows.
struct HelpText {
    let commands: [CommandSpecification]

    /// What the program is, and its commands.
    func program() -> String {
        """
        durable-mcp: a durable engine between MCP clients and the MCP servers they use.

        Every call that goes through it is journaled before it runs, found again by its
        request id, held for a person's approval where it must be, and never repeated by
        accident after a crash.

        Usage: durable-mcp COMMAND [OPTIONS]

        Commands:
        \(Self.table(commands.map { ($0.words.joined(separator: " "), $0.summary) }))

        'durable-mcp COMMAND --help' tells more of one. To see it work: durable-mcp demo

        Exit codes: 0 done, 1 failed, 2 used wrongly.

        """
    }

    /// The commands of a group such as `runs`.
    func group(_ word: String) -> String {
        let members = commands.filter { $0.words.first == word }
        return """
            Usage: durable-mcp \(word) COMMAND [OPTIONS]

            Commands:
            \(Self.table(members.map { ($0.words.joined(separator: " "), $0.summary) }))

            """
    }

    /// One command in full.
    func command(_ command: CommandSpecification) -> String {
        let usage =
            ["durable-mcp"] + command.words + command.operands.map(\.name) + ["[OPTIONS]"]
        var parts = [command.summary, "Usage: " + usage.joined(separator: " ")]
        if !command.discussion.isEmpty { parts.append(command.discussion) }
        if !command.operands.isEmpty {
            let rows = command.operands.map { ($0.name, $0.help) }
            parts.append("Arguments:\n" + Self.table(rows))
        }
        let options = command.allOptions.filter { !$0.isHidden }.map { option in
            (option.name + (option.value.map { " \($0)" } ?? ""), option.help)
        }
        parts.append("Options:\n" + Self.table(options))
        if !command.examples.isEmpty {
            parts.append("Examples:\n" + command.examples.map { "  \($0)" }.joined(separator: "\n"))
        }
        return parts.joined(separator: "\n\n") + "\n"
    }

    /// Two columns; the second wraps within 80 characters.
    static func table(_ rows: [(String, String)]) -> String {
        let width = min(rows.map(\.0.count).max() ?? 0, 28)
        return rows.flatMap { left, right -> [String] in
            var lines = wrapped(right, width: 80 - width - 4)
            let indent = String(repeating: " ", count: width + 4)
            guard left.count <= width else {
                return ["  " + left] + lines.map { indent + $0 }
            }
            let first = lines.isEmpty ? "" : lines.removeFirst()
            let gap = String(repeating: " ", count: width - left.count + 2)
            return ["  " + left + gap + first] + lines.map { indent + $0 }
        }.joined(separator: "\n")
    }

    private static func wrapped(_ text: String, width: Int) -> [String] {
        var lines = [""]
        for word in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            if last.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if last.count + word.count < width {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
