public import OrderedJSON

/// One way in which a value breaks a schema.
public struct SchemaViolation: Hashable, Sendable {
    /// The place in the value, as a person writes it: `steps[0].tool`, after the name given to
    /// the value, if any.
    ///
    /// For a member that is missing, the place it should have.
    public let path: String

    /// The same place as a JSON Pointer.
    public let pointer: JSONPointer

    /// The schema keyword that was broken; `$limit` where the check was given up.
    public let keyword: String

    /// What is wrong and what would be right, in words a model can act on.
    ///
    /// Names members, but never quotes a value that was checked.
    public let message: String

    /// What `enum` or `const` would have allowed, in words.
    var allowed: String?
}

extension SchemaViolation: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

/// One step from a value to one inside it.
enum PathStep: Hashable {
    case key(String)
    case index(Int)
}

/// A path as a person writes it; empty for the value itself.
func pathText(_ steps: [PathStep]) -> String {
    var text = ""
    for step in steps {
        switch step {
        case .index(let index): text += "[\(index)]"
        case .key(let key) where isPlainName(key): text += text.isEmpty ? key : ".\(key)"
        case .key(let key): text += "[\"\(quotable(key))\"]"
        }
    }
    return text
}

private func isPlainName(_ key: String) -> Bool {
    !key.isEmpty && key.utf8.count <= 128
        && key.unicodeScalars.allSatisfy {
            $0 == "_" || $0 == "-" || $0 == "$" || $0.properties.isAlphabetic
                || ("0"..."9").contains($0)
        }
}

/// Text from outside in a form that can stand in a message: on one line, and short.
func quotable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        if result.utf8.count >= 128 { return result + "…" }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
