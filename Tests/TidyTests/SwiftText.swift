/// Swift source as far as tidiness needs it: what is code, and where functions begin and end.
///
/// A reader of this kind guesses; it is right for the way this code base is written.
enum SwiftText {
    /// The lines with comments removed and the contents of strings and regexes left out.
    static func code(of lines: [String]) -> [String] {
        var reader = Reader()
        return lines.map { reader.code(of: $0) }
    }

    /// The functions and initializers, with the lines on which they begin and end, from 1.
    static func functions(in code: [String]) -> [(name: String, first: Int, last: Int)] {
        var found: [(name: String, first: Int, last: Int)] = []
        for (index, line) in code.enumerated() {
            guard let match = line.firstMatch(of: /(^|[^.\w`])(func +[^\s(<]+|init\b|deinit\b)/)
            else { continue }
            let start = line.distance(from: line.startIndex, to: match.range.lowerBound)
            if let last = endOfBody(in: code, line: index, column: start) {
                found.append((String(match.output.2), index + 1, last + 1))
            }
        }
        return found
    }

    /// The line of the brace that closes the body, or nil for a requirement without one.
    private static func endOfBody(in code: [String], line: Int, column: Int) -> Int? {
        var (parentheses, braces) = (0, 0)
        for index in line..<code.count {
            let text = index == line ? String(code[index].dropFirst(column)) : code[index]
            if index > line, braces == 0, parentheses == 0,
                text.contains(/^\s*(@|(public|package|private|static|mutating|func|var|let)\b)/)
            {
                return nil
            }
            for character in text {
                switch character {
                case "(", "[": parentheses += 1
                case ")", "]": parentheses -= 1
                case "{" where parentheses == 0 || braces > 0: braces += 1
                case "}" where braces > 0:
                    braces -= 1
                    if braces == 0 { return index }
                case "}" where parentheses == 0: return nil
                default: break
                }
            }
        }
        return nil
    }

    private struct Reader {
        private enum Place: Equatable {
            case code
            case comment(depth: Int)
            case text(hashes: Int, multiline: Bool)
        }

        private var place = Place.code
        private var rest = Substring()
        private var output = ""

        mutating func code(of line: String) -> String {
            rest = line[...]
            output = ""
            while !rest.isEmpty, step() {}
            if case .text(_, multiline: false) = place { place = .code }
            return output
        }

        /// Reads a little; false where the rest of the line is a comment.
        private mutating func step() -> Bool {
            switch place {
            case .comment(let depth):
                if take("*/") {
                    place = depth == 1 ? .code : .comment(depth: depth - 1)
                } else if take("/*") {
                    place = .comment(depth: depth + 1)
                } else {
                    rest.removeFirst()
                }
            case .text(let hashes, let multiline):
                let sharps = String(repeating: "#", count: hashes)
                if take((multiline ? "\"\"\"" : "\"") + sharps) {
                    output += "\""
                    place = .code
                } else if take("\\" + sharps) {
                    // An interpolation's code is left out with the text: it rarely matters.
                    _ = rest.popFirst()
                } else {
                    rest.removeFirst()
                }
            case .code:
                return stepInCode()
            }
            return true
        }

        private mutating func stepInCode() -> Bool {
            if rest.hasPrefix("//") { return false }
            if take("/*") {
                place = .comment(depth: 1)
                return true
            }
            let hashes = rest.prefix { $0 == "#" }.count
            let afterHashes = rest.dropFirst(hashes)
            if afterHashes.hasPrefix("\"") {
                let multiline = afterHashes.hasPrefix("\"\"\"")
                rest = afterHashes.dropFirst(multiline ? 3 : 1)
                output += "\""
                place = .text(hashes: hashes, multiline: multiline)
                return true
            }
            if rest.hasPrefix("/"), !rest.hasPrefix("/ "), "(,=:".contains(lastVisible),
                let end = rest.dropFirst().lastIndex(of: "/")
            {
                rest = rest[rest.index(after: end)...]
                output += "/"
                return true
            }
            output.append(rest.removeFirst())
            return true
        }

        private var lastVisible: Character { output.last { !$0.isWhitespace } ?? "a" }

        private mutating func take(_ prefix: String) -> Bool {
            guard rest.hasPrefix(prefix) else { return false }
            rest = rest.dropFirst(prefix.count)
            return true
        }
    }
}
