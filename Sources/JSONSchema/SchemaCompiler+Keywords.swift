import OrderedJSON

extension SchemaCompiler {
    /// Compiles one schema; those inside it are queued.
    mutating func node(
        _ value: JSONValue, at pointer: JSONPointer
    ) throws(SchemaError) -> SchemaNode {
        guard case .object(let object) = value else {
            return SchemaNode(keywords: value.boolValue == false ? [.never] : [])
        }
        var node = SchemaNode()
        if dialect == .draft7, object["$ref"] != nil {
            // Draft 7 ignores whatever stands beside a `$ref`.
            try addReferences(object, pointer, to: &node)
            return node
        }
        try addValueKeywords(object, pointer, to: &node)
        try addNumberKeywords(object, pointer, to: &node)
        try addStringKeywords(object, pointer, to: &node)
        try addObjectKeywords(object, pointer, to: &node)
        try addArrayKeywords(object, pointer, to: &node)
        try addReferences(object, pointer, to: &node)
        try addCombinations(object, pointer, to: &node)
        if dialect != .draft7 { try addUnevaluated(object, pointer, to: &node) }
        return node
    }

    private func addValueKeywords(
        _ object: JSONObject, _ pointer: JSONPointer, to node: inout SchemaNode
    ) throws(SchemaError) {
        if let type = object["type"] {
            var kinds: KindSet = []
            for name in type.arrayValue ?? [type] {
                guard let kind = name.stringValue.flatMap(KindSet.init(named:)) else {
                    throw .invalidSchema(
                        "type", "the name of a type or an array of such", at: pointer)
                }
                kinds.formUnion(kind)
            }
            guard !kinds.isEmpty else {
                throw .invalidSchema("type", "an array of at least one name", at: pointer)
            }
            node.keywords.append(.type(kinds))
        }
        if let values = object["enum"] {
            guard let values = values.arrayValue else {
                throw .invalidSchema("enum", "an array", at: pointer)
            }
            node.keywords.append(.enumeration(Enumeration(values, keyword: "enum")))
        }
        if let value = object["const"] {
            node.keywords.append(.enumeration(Enumeration([value], keyword: "const")))
        }
    }

    private func addNumberKeywords(
        _ object: JSONObject, _ pointer: JSONPointer, to node: inout SchemaNode
    ) throws(SchemaError) {
        for keyword in ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"] {
            guard let value = object[keyword] else { continue }
            guard let limit = value.numberValue else {
                throw .invalidSchema(keyword, "a number", at: pointer)
            }
            node.keywords.append(
                .bound(
                    Bound(
                        keyword: keyword, limit: limit, isUpper: keyword.hasSuffix("aximum"),
                        isExclusive: keyword.hasPrefix("exclusive"))))
        }
        if let value = object["multipleOf"] {
            guard let divisor = value.numberValue, JSONNumber(0).isLess(than: divisor),
                divisor.isMultiple(of: divisor) != nil
            else {
                throw .invalidSchema(
                    "multipleOf", "a number above 0 of at most 18 digits", at: pointer)
            }
            node.keywords.append(.multipleOf(divisor))
        }
    }

    private func addStringKeywords(
        _ object: JSONObject, _ pointer: JSONPointer, to node: inout SchemaNode
    ) throws(SchemaError) {
        let minimum = try count("minLength", object, pointer)
        let maximum = try count("maxLength", object, pointer)
        if minimum != nil || maximum != nil {
            node.keywords.append(.length(minimum: minimum, maximum: maximum))
        }
        if let source = object["pattern"] {
            guard let source = source.stringValue else {
                throw .invalidSchema("pattern", "a string", at: pointer)
            }
            node.keywords.append(.pattern(try pattern(source, at: pointer.appending("pattern"))))
        }
    }

    func pattern(_ source: String, at pointer: JSONPointer) throws(SchemaError) -> Pattern {
        do throws(PatternProblem) {
            return try Pattern(source, states: limits.patternStates)
        } catch {
            throw .invalidPattern(error, at: pointer)
        }
    }

    private mutating func addReferences(
        _ object: JSONObject, _ pointer: JSONPointer, to node: inout SchemaNode
    ) throws(SchemaError) {
        for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] {
            guard let value = object[keyword] else { continue }
            guard let reference = value.stringValue else {
                throw .invalidSchema(keyword, "a URI reference", at: pointer)
            }
            switch (keyword, dialect) {
            case ("$ref", _): break
            case ("$dynamicRef", .draft2020): try checkDynamic(reference, at: pointer)
            case ("$recursiveRef", .draft2019):
                guard isSingleResource else {
                    throw .unsupportedKeyword(
                        keyword, "the document has several `$id`", at: pointer)
                }
            default: continue
            }
            node.keywords.append(
                .reference(try resolve(reference, from: pointer, keyword: keyword)))
        }
    }

    private mutating func addCombinations(
        _ object: JSONObject, _ pointer: JSONPointer, to node: inout SchemaNode
    ) throws(SchemaError) {
        if let all = try schemas("allOf", object, pointer) { node.keywords.append(.allOf(all)) }
        if let any = try schemas("anyOf", object, pointer) { node.keywords.append(.anyOf(any)) }
        if let one = try schemas("oneOf", object, pointer) { node.keywords.append(.oneOf(one)) }
        if let not = try schema("not", object, pointer) { node.keywords.append(.not(not)) }
        if let condition = try schema("if", object, pointer) {
            node.keywords.append(
                .conditional(
                    if: condition, then: try schema("then", object, pointer),
                    else: try schema("else", object, pointer)))
        }
    }

    private mutating func addUnevaluated(
        _ object: JSONObject, _ pointer: JSONPointer, to node: inout SchemaNode
    ) throws(SchemaError) {
        if let items = try schema("unevaluatedItems", object, pointer) {
            node.keywords.append(.unevaluatedItems(items))
            tracksEvaluation = true
        }
        if let properties = try schema("unevaluatedProperties", object, pointer) {
            node.keywords.append(.unevaluatedProperties(properties))
            tracksEvaluation = true
        }
    }

    /// The schema that is a keyword's value, if the keyword is there.
    mutating func schema(
        _ keyword: String, _ object: JSONObject, _ pointer: JSONPointer
    ) throws(SchemaError) -> SchemaIndex? {
        guard let value = object[keyword] else { return nil }
        return try schema(value, at: pointer.appending(keyword))
    }

    /// The array of schemas that is a keyword's value, if the keyword is there.
    mutating func schemas(
        _ keyword: String, _ object: JSONObject, _ pointer: JSONPointer
    ) throws(SchemaError) -> [SchemaIndex]? {
        guard let value = object[keyword] else { return nil }
        guard let elements = value.arrayValue, !elements.isEmpty else {
            throw .invalidSchema(keyword, "an array of at least one schema", at: pointer)
        }
        var result: [SchemaIndex] = []
        for (offset, element) in elements.enumerated() {
            result.append(try schema(element, at: pointer.appending(keyword).appending(offset)))
        }
        return result
    }

    /// The count that is a keyword's value, if the keyword is there.
    func count(
        _ keyword: String, _ object: JSONObject, _ pointer: JSONPointer
    ) throws(SchemaError) -> Int? {
        guard let value = object[keyword] else { return nil }
        guard let number = value.numberValue, number.isInteger,
            !number.isLess(than: JSONNumber(0))
        else { throw .invalidSchema(keyword, "an integer of at least 0", at: pointer) }
        return number.intValue ?? .max
    }
}

extension Enumeration {
    /// An enumeration of these values.
    init(_ values: [JSONValue], keyword: String) {
        self.keyword = keyword
        canonical = Set(values.map { $0.canonicalBytes() })
        kinds = values.reduce(into: []) { $0.formUnion(KindSet(of: $1)) }
        var words = values.prefix(12).map { quotable($0.text) }
        if values.count > words.count { words.append("\(values.count - words.count) others") }
        shown = listed(words, "or")
    }
}
