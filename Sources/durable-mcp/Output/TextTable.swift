/// Columns for people.
struct TextTable {
    private var rows: [[String]]

    /// A table with these headings.
    init(_ headings: String...) { rows = [headings] }

    /// Adds a row, as many cells as there are headings.
    mutating func add(_ cells: String...) { rows.append(cells.map { SafeText.line($0) }) }

    /// All rows, a line each.
    var text: String {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - cell.count)
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}

/// Names with values for people, one a line.
struct TextFields {
    private static let width = 14
    private let indent: String
    private(set) var text = ""

    /// Fields, each line after `indent`.
    init(indent: String = "") { self.indent = indent }

    /// Adds a field; nothing where there is no value.
    mutating func add(_ name: String, _ value: String?) {
        guard let value else { return }
        let gap = String(repeating: " ", count: max(Self.width - name.count, 1))
        text += indent + name + gap + SafeText.line(value) + "\n"
    }

    /// Adds a field whose value is shown below its name, line by line.
    mutating func addBlock(_ name: String, _ value: String?) {
        guard let value else { return }
        text += indent + name + "\n" + SafeText.block(value, indent: indent + "  ") + "\n"
    }
}
