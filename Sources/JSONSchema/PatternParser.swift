/// Why a pattern cannot be compiled.
struct PatternProblem: Error {
    let code: SchemaError.Code
    let message: String

    static func invalid(_ reason: String) -> Self {
        Self(code: .invalidPattern, message: "The pattern is no regular expression: \(reason).")
    }

    static func unsupported(_ what: String) -> Self {
        Self(
            code: .unsupportedKeyword,
            message: "The pattern uses \(what), which cannot be matched in bounded time.")
    }

    static func unknownProperty(_ name: String) -> Self {
        Self(
            code: .unsupportedKeyword,
            message:
                "The pattern uses the Unicode property '\(quotable(name))', which is not known.")
    }

    static func tooLarge(_ limit: Int) -> Self {
        Self(code: .tooLarge, message: "A pattern may have at most \(limit) states.")
    }
}

/// A regular expression, parsed.
indirect enum PatternTree {
    case set(ScalarSet)
    case sequence([PatternTree])
    case alternatives([PatternTree])
    case repeated(PatternTree, minimum: Int, maximum: Int?)
    case assertion(PatternAssertion)
    case look(PatternTree, isAhead: Bool, isNegated: Bool)
}

/// Something that holds at a position, whatever was matched before.
enum PatternAssertion: Sendable {
    case start, end, wordBoundary, noWordBoundary
}

/// Parses the regular expressions of ECMA-262 with its `u` flag, as JSON Schema asks, except
/// that a backslash may stand before any character that is no letter or digit.
struct PatternParser {
    private static let deepest = 50

    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    init(_ source: String) { scalars = Array(source.unicodeScalars) }

    /// Parses the whole pattern.
    mutating func parse() throws(PatternProblem) -> PatternTree {
        let tree = try alternatives()
        guard position == scalars.count else { throw .invalid("a ) closes nothing") }
        return tree
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    /// Moves past `text` where it comes next.
    private mutating func skip(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        guard scalars[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func alternatives() throws(PatternProblem) -> PatternTree {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw .invalid("its groups are nested too deep") }
        var branches = [try sequence()]
        while skip("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence() throws(PatternProblem) -> PatternTree {
        var parts: [PatternTree] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let atom = try self.atom()
            parts.append(try quantified(atom))
        }
        return .sequence(parts)
    }

    private mutating func quantified(_ atom: PatternTree) throws(PatternProblem) -> PatternTree {
        let minimum: Int
        let maximum: Int?
        switch next {
        case "*": (minimum, maximum) = (0, nil)
        case "+": (minimum, maximum) = (1, nil)
        case "?": (minimum, maximum) = (0, 1)
        case "{":
            let start = position
            guard let counts = repetition() else {
                position = start
                return atom
            }
            guard counts.minimum <= counts.maximum ?? .max else {
                throw .invalid("a repetition's numbers are upside down")
            }
            (minimum, maximum) = counts
        default: return atom
        }
        position += 1
        _ = skip("?")  // Lazy or greedy, the same strings match.
        if let scalar = next, "*+?".unicodeScalars.contains(scalar) {
            throw .invalid("a repetition is repeated")
        }
        if case .assertion = atom { throw .invalid("an assertion is repeated") }
        if case .look = atom { throw .invalid("an assertion is repeated") }
        return .repeated(atom, minimum: minimum, maximum: maximum)
    }

    /// Reads `{n}`, `{n,}` or `{n,m}` up to its closing brace; nil where the brace is a literal.
    private mutating func repetition() -> (minimum: Int, maximum: Int?)? {
        position += 1
        guard let minimum = number() else { return nil }
        let maximum = skip(",") ? number() : minimum
        return next == "}" ? (minimum, maximum) : nil
    }

    private mutating func number() -> Int? {
        let start = position
        var value = 0
        while let scalar = next, ("0"..."9").contains(scalar) {
            value = min(value * 10 + Int(scalar.value - 0x30), 1_000_000_000)
            position += 1
        }
        return position == start ? nil : value
    }

    private mutating func atom() throws(PatternProblem) -> PatternTree {
        let scalar = scalars[position]
        position += 1
        switch scalar {
        case ".": return .set(.dot)
        case "^": return .assertion(.start)
        case "$": return .assertion(.end)
        case "(": return try group()
        case "[": return .set(try characterClass())
        case "\\": return try escape()
        case "*", "+", "?": throw .invalid("a repetition has nothing to repeat")
        default: return .set(ScalarSet(scalar))
        }
    }

    private mutating func group() throws(PatternProblem) -> PatternTree {
        var look: (isAhead: Bool, isNegated: Bool)?
        if skip("?") {
            if skip(":") {
            } else if skip("=") {
                look = (true, false)
            } else if skip("!") {
                look = (true, true)
            } else if skip("<=") {
                look = (false, false)
            } else if skip("<!") {
                look = (false, true)
            } else if skip("<") || skip("P<") {
                while let scalar = next, scalar != ">" {
                    guard scalar == "_" || scalar == "$" || scalar.properties.isIDContinue else {
                        throw .invalid("a group's name holds more than letters and digits")
                    }
                    position += 1
                }
                guard skip(">") else { throw .invalid("a group's name does not end") }
            } else {
                throw .invalid("(? is followed by something unknown")
            }
        }
        let tree = try alternatives()
        guard skip(")") else { throw .invalid("a ( is not closed") }
        guard let look else { return tree }
        return .look(tree, isAhead: look.isAhead, isNegated: look.isNegated)
    }

    private mutating func escape() throws(PatternProblem) -> PatternTree {
        switch next {
        case "b":
            position += 1
            return .assertion(.wordBoundary)
        case "B":
            position += 1
            return .assertion(.noWordBoundary)
        case "k": throw .unsupported("a back reference")
        case let digit? where ("1"..."9").contains(digit): throw .unsupported("a back reference")
        default: return .set(try setEscape())
        }
    }

    private mutating func characterClass() throws(PatternProblem) -> ScalarSet {
        var set = ScalarSet()
        let isNegated = skip("^")
        while let scalar = next, scalar != "]" {
            let (item, first) = try classItem()
            // A hyphen is a range only between two single characters.
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                set.formUnion(item)
                continue
            }
            position += 1
            let (other, last) = try classItem()
            if let first, let last {
                guard first <= last else { throw .invalid("a range is upside down") }
                set.insert(first.value...last.value)
            } else {
                set.formUnion(item)
                set.formUnion(ScalarSet("-"))
                set.formUnion(other)
            }
        }
        guard skip("]") else { throw .invalid("a [ is not closed") }
        set.isNegated = isNegated
        return set
    }

    /// One member of a class, and which character it is where it is a single one.
    private mutating func classItem() throws(PatternProblem) -> (ScalarSet, Unicode.Scalar?) {
        guard let scalar = next else { throw .invalid("a [ is not closed") }
        position += 1
        guard scalar == "\\" else { return (ScalarSet(scalar), scalar) }
        if skip("b") { return (ScalarSet("\u{8}"), "\u{8}") }
        let set = try setEscape()
        guard set.properties.isEmpty, set.ranges.count == 1, let range = set.ranges.first,
            range.count == 1
        else { return (set, nil) }
        return (set, Unicode.Scalar(range.lowerBound))
    }

    /// What follows a backslash and stands for one or more characters.
    private mutating func setEscape() throws(PatternProblem) -> ScalarSet {
        guard let scalar = next else { throw .invalid("it ends in a backslash") }
        position += 1
        if let set = ScalarSet(classEscape: scalar) { return set }
        switch scalar {
        case "p", "P":
            let name = try braced()
            guard let property = ScalarProperty(named: name) else { throw .unknownProperty(name) }
            return ScalarSet(property, isNegated: scalar == "P")
        case "t": return ScalarSet("\t")
        case "n": return ScalarSet("\n")
        case "v": return ScalarSet("\u{B}")
        case "f": return ScalarSet("\u{C}")
        case "r": return ScalarSet("\r")
        case "0": return ScalarSet("\0")
        case "c":
            guard let letter = next, letter.isASCII, letter.properties.isAlphabetic else {
                throw .invalid("\\c needs a letter")
            }
            position += 1
            return ScalarSet([letter.value & 31...letter.value & 31])
        case "x": return try hexadecimal(2)
        case "u": return try unicodeEscape()
        default:
            guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
                throw .invalid("\\\(quotable(String(scalar))) is no escape")
            }
            return ScalarSet(scalar)
        }
    }

    private mutating func unicodeEscape() throws(PatternProblem) -> ScalarSet {
        if next == "{" {
            let digits = try braced()
            guard let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else {
                throw .invalid("\\u{…} is no Unicode scalar")
            }
            return ScalarSet(scalar)
        }
        let unit = try hexadecimalValue(4)
        guard unit & 0xFC00 == 0xD800 else { return ScalarSet([unit...unit]) }
        guard skip("\\u") else { throw .invalid("a surrogate has no other half") }
        let low = try hexadecimalValue(4)
        guard low & 0xFC00 == 0xDC00 else { throw .invalid("a surrogate has no other half") }
        let value = 0x10000 + (unit & 0x3FF) << 10 + low & 0x3FF
        return ScalarSet([value...value])
    }

    private mutating func hexadecimal(_ count: Int) throws(PatternProblem) -> ScalarSet {
        let value = try hexadecimalValue(count)
        return ScalarSet([value...value])
    }

    private mutating func hexadecimalValue(_ count: Int) throws(PatternProblem) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = next.flatMap({ Character($0).hexDigitValue }) else {
                throw .invalid("\\x or \\u needs \(count) hex digits")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    /// The text between braces.
    private mutating func braced() throws(PatternProblem) -> String {
        guard skip("{") else { throw .invalid("\\p needs {…}") }
        var name = String.UnicodeScalarView()
        while let scalar = next, scalar != "}" {
            name.append(scalar)
            position += 1
        }
        guard skip("}") else { throw .invalid("a { is not closed") }
        return String(name)
    }
}
