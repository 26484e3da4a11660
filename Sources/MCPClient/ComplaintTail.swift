internal import MCPProtocol

/// The last lines that a server wrote to its standard error.
struct ComplaintTail {
    /// How much is kept, and how long one line may be.
    static let limitBytes = 8 * 1_024

    /// How much of a longer line is shown.
    static let shownCharacters = 1_024

    private var framer = LineFramer(limitBytes: limitBytes, headBytes: limitBytes)
    private var lines: [String] = []
    private var keptBytes = 0

    /// Takes in bytes and gives back the lines that ended in them, scrubbed.
    mutating func append(_ bytes: [UInt8], scrub: (String) -> String) -> [String] {
        let new = framer.append(bytes).map { Self.text($0, scrub: scrub) }
        for line in new { keep(line) }
        return new
    }

    /// Takes the line that has no newline, when there comes no more.
    mutating func finish(scrub: (String) -> String) -> String? {
        guard let line = framer.finish().map({ Self.text(.whole($0), scrub: scrub) }) else {
            return nil
        }
        keep(line)
        return line
    }

    /// The lines that are kept, oldest first, without a newline at the end.
    var text: String { lines.joined(separator: "\n") }

    private mutating func keep(_ line: String) {
        lines.append(line)
        keptBytes += line.utf8.count + 1
        while keptBytes > Self.limitBytes, lines.count > 1 {
            keptBytes -= lines.removeFirst().utf8.count + 1
        }
    }

    private static func text(_ line: LineFramer.Line, scrub: (String) -> String) -> String {
        switch line {
        case .whole(let bytes): shown(scrub(String(decoding: bytes, as: UTF8.self)))
        // Scrubbed before it is cut, since half a secret would not be recognised.
        case .tooLong(let head):
            shown(scrub(String(decoding: head, as: UTF8.self))).prefix(shownCharacters)
                + " … (cut)"
        }
    }

    /// Text of a stranger, with what is invisible made visible.
    private static func shown(_ text: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control where scalar != "\t" && scalar != "\r": shown.append("\u{FFFD}")
            case .format, .lineSeparator, .paragraphSeparator: shown.append("\u{FFFD}")
            default: shown.append(scalar)
            }
        }
        return String(shown)
    }
}
