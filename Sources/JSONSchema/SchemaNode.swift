import OrderedJSON

/// The position of a schema in ``Schema/nodes``.
typealias SchemaIndex = Int

/// One schema, ready to check by.
struct SchemaNode: Sendable {
    /// Its keywords, in the order they are checked: cheap ones first, `unevaluated…` last.
    var keywords: [SchemaKeyword] = []
}

/// One keyword, or a few that only mean something together.
///
/// Indirect, so that it takes one word of each of the stack frames that checking recurses through.
indirect enum SchemaKeyword: Sendable {
    /// The schema `false`.
    case never
    case type(KindSet)
    case enumeration(Enumeration)
    case bound(Bound)
    case multipleOf(JSONNumber)
    case length(minimum: Int?, maximum: Int?)
    case pattern(Pattern)
    case itemCount(minimum: Int?, maximum: Int?)
    case uniqueItems
    case items(prefix: [SchemaIndex], rest: SchemaIndex?)
    /// `evaluates` says whether what it finds counts as evaluated, as it does since 2020-12.
    case contains(SchemaIndex, minimum: Int, maximum: Int?, evaluates: Bool)
    case propertyCount(minimum: Int?, maximum: Int?)
    case required([String])
    case properties(Properties)
    case propertyNames(SchemaIndex)
    case dependentRequired([(key: String, required: [String])])
    case dependentSchemas([(key: String, schema: SchemaIndex)])
    case reference(SchemaIndex)
    case allOf([SchemaIndex])
    case anyOf([SchemaIndex])
    case oneOf([SchemaIndex])
    case not(SchemaIndex)
    case conditional(if: SchemaIndex, then: SchemaIndex?, else: SchemaIndex?)
    case unevaluatedItems(SchemaIndex)
    case unevaluatedProperties(SchemaIndex)
}

/// `enum`, or `const`, which is an enumeration of one.
struct Enumeration: Sendable {
    let keyword: String
    /// The canonical form of each value; JSON Schema's equality is equality of these.
    let canonical: Set<[UInt8]>
    let kinds: KindSet
    /// The values as they stand in messages.
    let shown: String
}

/// One of the four bounds of a number.
struct Bound: Sendable {
    let keyword: String
    let limit: JSONNumber
    let isUpper: Bool
    let isExclusive: Bool
}

/// `properties`, `patternProperties` and `additionalProperties`.
struct Properties: Sendable {
    var named: [(key: String, schema: SchemaIndex)] = []
    /// Where each name stands in `named`, for objects with many members.
    var positions: [ExactString: Int] = [:]
    var patterns: [(pattern: Pattern, schema: SchemaIndex)] = []
    var additional: SchemaIndex?

    var isEmpty: Bool { named.isEmpty && patterns.isEmpty && additional == nil }
}

/// Kinds of JSON values, as `type` names them.
struct KindSet: OptionSet, Sendable {
    let rawValue: UInt8

    static let null = KindSet(rawValue: 1)
    static let boolean = KindSet(rawValue: 2)
    static let integer = KindSet(rawValue: 4)
    /// A number with a fraction; `number` is this and `integer`.
    static let fraction = KindSet(rawValue: 8)
    static let string = KindSet(rawValue: 16)
    static let array = KindSet(rawValue: 32)
    static let object = KindSet(rawValue: 64)
    static let number: KindSet = [.integer, .fraction]

    /// The kind of a value.
    init(of value: JSONValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .boolean
        case .number(let number): self = number.isInteger ? .integer : .fraction
        case .string: self = .string
        case .array: self = .array
        case .object: self = .object
        }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A kind by its name in `type`.
    init?(named name: String) {
        switch name {
        case "null": self = .null
        case "boolean": self = .boolean
        case "integer": self = .integer
        case "number": self = .number
        case "string": self = .string
        case "array": self = .array
        case "object": self = .object
        default: return nil
        }
    }

    /// The kinds in words: `a string or null`.
    var words: String {
        var names: [String] = []
        if contains(.string) { names.append("a string") }
        if contains(.number) {
            names.append("a number")
        } else if contains(.integer) {
            names.append("an integer")
        } else if contains(.fraction) {
            names.append("a number with a fraction")
        }
        if contains(.boolean) { names.append("a boolean") }
        if contains(.array) { names.append("an array") }
        if contains(.object) { names.append("an object") }
        if contains(.null) { names.append("null") }
        return listed(names, "or")
    }
}

/// `a, b or c`.
func listed(_ words: [String], _ last: String) -> String {
    guard let final = words.last else { return "nothing" }
    let others = words.dropLast().joined(separator: ", ")
    return others.isEmpty ? final : "\(others) \(last) \(final)"
}
