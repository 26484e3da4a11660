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
        for (index, line) in code.enumerated()
        where line.contains("func ") || line.contains("init") {
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

    /// Works on bytes, since every line of the repository goes through it.
    private struct Reader {
        private enum Place: Equatable {
            case code
            case comment(depth: Int)
            case text(hashes: Int, multiline: Bool)
        }

        private var place = Place.code
        private var rest: ArraySlice<UInt8> = []
        private var output: [UInt8] = []

        mutating func code(of line: String) -> String {
            rest = Array(line.utf8)[...]
            output = []
            while !rest.isEmpty, step() {}
            if case .text(_, multiline: false) = place { place = .code }
            return String(decoding: output, as: UTF8.self)
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
                if takeEnd(of: hashes, multiline) {
                    output.append(Self.quote)
                    place = .code
                } else if rest.first == UInt8(ascii: "\\"), isFollowed(by: hashes, after: 1) {
                    // An interpolation's code is left out with the text: it rarely matters.
                    rest = rest.dropFirst(2 + hashes)
                } else {
                    rest.removeFirst()
                }
            case .code:
                return stepInCode()
            }
            return true
        }

        private mutating func stepInCode() -> Bool {
            switch rest.first {
            case UInt8(ascii: "/"):
                if starts(with: "//") { return false }
                if take("/*") {
                    place = .comment(depth: 1)
                    return true
                }
                if !starts(with: "/ "), "(,=:".utf8.contains(lastVisible),
                    let end = rest.dropFirst().lastIndex(of: UInt8(ascii: "/"))
                {
                    rest = rest[(end + 1)...]
                    output.append(UInt8(ascii: "/"))
                    return true
                }
            case Self.quote, Self.hash:
                let hashes = rest.prefix { $0 == Self.hash }.count
                if rest.dropFirst(hashes).first == Self.quote {
                    rest = rest.dropFirst(hashes + 1)
                    let multiline = take("\"\"")
                    output.append(Self.quote)
                    place = .text(hashes: hashes, multiline: multiline)
                    return true
                }
            default: break
            }
            output.append(rest.removeFirst())
            return true
        }

        private static let quote = UInt8(ascii: "\"")
        private static let hash = UInt8(ascii: "#")

        private var lastVisible: UInt8 { output.last { $0 != UInt8(ascii: " ") } ?? 0 }

        private func isFollowed(by hashes: Int, after count: Int) -> Bool {
            hashes == 0
                || rest.dropFirst(count).prefix(hashes).count { $0 == Self.hash } == hashes
        }

        private mutating func takeEnd(of hashes: Int, _ multiline: Bool) -> Bool {
            guard rest.first == Self.quote else { return false }
            let quotes = multiline ? 3 : 1
            guard rest.prefix(quotes).count(where: { $0 == Self.quote }) == quotes,
                isFollowed(by: hashes, after: quotes)
            else { return false }
            rest = rest.dropFirst(quotes + hashes)
            return true
        }

        private func starts(with prefix: String) -> Bool { rest.starts(with: prefix.utf8) }

        private mutating func take(_ prefix: String) -> Bool {
            guard starts(with: prefix) else { return false }
            rest = rest.dropFirst(prefix.utf8.count)
            return true
        }
    }
}
