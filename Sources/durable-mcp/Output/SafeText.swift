internal import OrderedJSON

/// Text from outside, in a form that shows all of it and cannot play tricks on a terminal.
///
/// What is invisible, what moves the cursor and what turns the direction of writing is shown by
/// its number instead.
enum SafeText {
    /// One line: line breaks are shown too.
    static func line(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case _ where isUnsafe(scalar):
                result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// As ``line(_:)``, cut to so many characters.
    static func line(_ text: String, limit: Int) -> String {
        let whole = line(text)
        return whole.count <= limit ? whole : whole.prefix(limit - 1) + "…"
    }

    /// Several lines, each with `indent` before it.
    static func block(_ text: String, indent: String) -> String {
        text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
            .map { indent + line(String($0)) }.joined(separator: "\n")
    }

    /// A JSON text of the same meaning, with all that is unsafe written as `\uXXXX`.
    static func json(_ value: JSONValue, pretty: Bool) -> String {
        var result = ""
        let text = String(decoding: value.serialized(pretty: pretty), as: UTF8.self)
        for scalar in text.unicodeScalars {
            // Outside of strings JSON holds none of them but its own line breaks.
            guard isUnsafe(scalar), scalar != "\n" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            for unit in String(scalar).utf16 {
                let digits = String(unit, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return result
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
        // An empty braille pattern looks like a blank.
        if scalar.value == 0x2800 || scalar.properties.isDefaultIgnorableCodePoint { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
            .unassigned, .spaceSeparator:
            true
        default: false
        }
    }
}
