/// The Unicode scalars that one place of a pattern matches.
struct ScalarSet: Sendable {
    /// Scalars by value.
    private(set) var ranges: [ClosedRange<UInt32>] = []
    /// Scalars by their properties: a `\p` or, negated, a `\P`.
    private(set) var properties: [(property: ScalarProperty, isNegated: Bool)] = []
    var isNegated = false

    init(_ ranges: [ClosedRange<UInt32>] = []) { self.ranges = ranges }

    init(_ scalar: Unicode.Scalar) { ranges = [scalar.value...scalar.value] }

    init(_ property: ScalarProperty, isNegated: Bool) { properties = [(property, isNegated)] }

    mutating func insert(_ range: ClosedRange<UInt32>) { ranges.append(range) }

    /// Adds what another set, itself not negated, holds.
    mutating func formUnion(_ other: ScalarSet) {
        ranges += other.isNegated ? Self.complement(of: other.ranges) : other.ranges
        properties += other.properties
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let found =
            ranges.contains { $0.contains(scalar.value) }
            || properties.contains { $0.property.holds(for: scalar) != $0.isNegated }
        return found != isNegated
    }

    /// The scalars outside of ranges.
    private static func complement(of ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if next < range.lowerBound { result.append(next...range.lowerBound - 1) }
            next = max(next, range.upperBound + 1)
        }
        if next <= 0x10FFFF { result.append(next...0x10FFFF) }
        return result
    }

    /// `\d`, `\w`, `\s` and, in upper case, their complements.
    init?(classEscape letter: Unicode.Scalar) {
        switch letter {
        case "d", "D": ranges = [0x30...0x39]
        case "w", "W": ranges = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
        case "s", "S":
            ranges = [
                0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A,
                0x2028...0x2029, 0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
                0xFEFF...0xFEFF,
            ]
        default: return nil
        }
        if letter.properties.isUppercase { ranges = Self.complement(of: ranges) }
    }

    /// What `.` matches: all but line terminators.
    static let dot = ScalarSet(complement(of: [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]))

    /// Whether a scalar is one that `\w` matches.
    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            && (scalar == "_" || scalar.properties.isAlphabetic
                || scalar.properties.numericType != nil)
    }
}

/// A Unicode property that `\p{…}` can ask for.
enum ScalarProperty: Sendable {
    case any, ascii, alphabetic, whitespace, uppercase, lowercase
    case category([Unicode.GeneralCategory])

    /// A property by its name between the braces, or nil where it is not supported.
    init?(named name: String) {
        var name = name
        for prefix in ["General_Category=", "gc="] where name.hasPrefix(prefix) {
            name.removeFirst(prefix.count)
        }
        switch name {
        case "Any": self = .any
        case "ASCII": self = .ascii
        case "Alphabetic", "Alpha": self = .alphabetic
        case "White_Space", "space": self = .whitespace
        case "Uppercase", "Upper": self = .uppercase
        case "Lowercase", "Lower": self = .lowercase
        default:
            guard let categories = Self.categories[name] else { return nil }
            self = .category(categories)
        }
    }

    func holds(for scalar: Unicode.Scalar) -> Bool {
        switch self {
        case .any: true
        case .ascii: scalar.isASCII
        case .alphabetic: scalar.properties.isAlphabetic
        case .whitespace: scalar.properties.isWhitespace
        case .uppercase: scalar.properties.isUppercase
        case .lowercase: scalar.properties.isLowercase
        case .category(let categories): categories.contains(scalar.properties.generalCategory)
        }
    }

    private static let categories: [String: [Unicode.GeneralCategory]] = {
        let groups: [(String, String, [(String, String, Unicode.GeneralCategory)])] = [
            (
                "L", "Letter",
                [
                    ("Lu", "Uppercase_Letter", .uppercaseLetter),
                    ("Ll", "Lowercase_Letter", .lowercaseLetter),
                    ("Lt", "Titlecase_Letter", .titlecaseLetter),
                    ("Lm", "Modifier_Letter", .modifierLetter),
                    ("Lo", "Other_Letter", .otherLetter),
                ]
            ),
            (
                "M", "Mark",
                [
                    ("Mn", "Nonspacing_Mark", .nonspacingMark),
                    ("Mc", "Spacing_Mark", .spacingMark),
                    ("Me", "Enclosing_Mark", .enclosingMark),
                ]
            ),
            (
                "N", "Number",
                [
                    ("Nd", "Decimal_Number", .decimalNumber),
                    ("Nl", "Letter_Number", .letterNumber),
                    ("No", "Other_Number", .otherNumber),
                ]
            ),
            (
                "P", "Punctuation",
                [
                    ("Pc", "Connector_Punctuation", .connectorPunctuation),
                    ("Pd", "Dash_Punctuation", .dashPunctuation),
                    ("Ps", "Open_Punctuation", .openPunctuation),
                    ("Pe", "Close_Punctuation", .closePunctuation),
                    ("Pi", "Initial_Punctuation", .initialPunctuation),
                    ("Pf", "Final_Punctuation", .finalPunctuation),
                    ("Po", "Other_Punctuation", .otherPunctuation),
                ]
            ),
            (
                "S", "Symbol",
                [
                    ("Sm", "Math_Symbol", .mathSymbol),
                    ("Sc", "Currency_Symbol", .currencySymbol),
                    ("Sk", "Modifier_Symbol", .modifierSymbol),
                    ("So", "Other_Symbol", .otherSymbol),
                ]
            ),
            (
                "Z", "Separator",
                [
                    ("Zs", "Space_Separator", .spaceSeparator),
                    ("Zl", "Line_Separator", .lineSeparator),
                    ("Zp", "Paragraph_Separator", .paragraphSeparator),
                ]
            ),
            (
                "C", "Other",
                [
                    ("Cc", "Control", .control), ("Cf", "Format", .format),
                    ("Cs", "Surrogate", .surrogate), ("Co", "Private_Use", .privateUse),
                    ("Cn", "Unassigned", .unassigned),
                ]
            ),
        ]
        var result: [String: [Unicode.GeneralCategory]] = [:]
        for (short, long, members) in groups {
            result[short] = members.map(\.2)
            result[long] = members.map(\.2)
            for (short, long, category) in members {
                result[short] = [category]
                result[long] = [category]
            }
        }
        return result
    }()
}
