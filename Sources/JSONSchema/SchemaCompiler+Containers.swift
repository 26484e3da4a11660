import OrderedJSON

extension SchemaCompiler {
    mutating func addArrayKeywords(
        _ object: JSONObject, _ pointer: JSONPointer, to node: inout SchemaNode
    ) throws(SchemaError) {
        let minimum = try count("minItems", object, pointer)
        let maximum = try count("maxItems", object, pointer)
        if minimum != nil || maximum != nil {
            node.keywords.append(.itemCount(minimum: minimum, maximum: maximum))
        }
        if let unique = object["uniqueItems"] {
            guard let unique = unique.boolValue else {
                throw .invalidSchema("uniqueItems", "a boolean", at: pointer)
            }
            if unique { node.keywords.append(.uniqueItems) }
        }
        var prefix: [SchemaIndex] = []
        var rest: SchemaIndex?
        if object["items"]?.arrayValue?.isEmpty == true {
            rest = try schema("additionalItems", object, pointer)
        } else if object["items"]?.arrayValue != nil {
            // An array is the form before 2020-12; it can mean nothing else, so it is read in
            // every dialect.
            prefix = try schemas("items", object, pointer) ?? []
            rest = try schema("additionalItems", object, pointer)
        } else {
            if dialect == .draft2020 { prefix = try schemas("prefixItems", object, pointer) ?? [] }
            rest = try schema("items", object, pointer)
        }
        if !prefix.isEmpty || rest != nil {
            node.keywords.append(.items(prefix: prefix, rest: rest))
        }
        if let contained = try schema("contains", object, pointer) {
            var bounds: (minimum: Int, maximum: Int?) = (1, nil)
            if dialect != .draft7 {
                bounds.minimum = try count("minContains", object, pointer) ?? 1
                bounds.maximum = try count("maxContains", object, pointer)
            }
            node.keywords.append(
                .contains(
                    contained, minimum: bounds.minimum, maximum: bounds.maximum,
                    evaluates: dialect == .draft2020))
        }
    }

    mutating func addObjectKeywords(
        _ object: JSONObject, _ pointer: JSONPointer, to node: inout SchemaNode
    ) throws(SchemaError) {
        if let required = object["required"] {
            node.keywords.append(.required(try names(required, "required", pointer)))
        }
        let minimum = try count("minProperties", object, pointer)
        let maximum = try count("maxProperties", object, pointer)
        if minimum != nil || maximum != nil {
            node.keywords.append(.propertyCount(minimum: minimum, maximum: maximum))
        }
        if let schema = try schema("propertyNames", object, pointer) {
            node.keywords.append(.propertyNames(schema))
        }
        let properties = try properties(object, pointer)
        if !properties.isEmpty { node.keywords.append(.properties(properties)) }
        if dialect == .draft7 {
            try addDependencies("dependencies", object, pointer, to: &node)
        } else {
            try addDependencies("dependentRequired", object, pointer, to: &node)
            try addDependencies("dependentSchemas", object, pointer, to: &node)
        }
    }

    private mutating func properties(
        _ object: JSONObject, _ pointer: JSONPointer
    ) throws(SchemaError) -> Properties {
        var properties = Properties()
        let named = try members("properties", object, pointer)
        for (position, member) in named.enumerated() {
            let place = pointer.appending("properties").appending(member.key)
            properties.named.append((member.key, try schema(member.value, at: place)))
            properties.positions[ExactString(member.key)] = position
        }
        for member in try members("patternProperties", object, pointer) {
            let place = pointer.appending("patternProperties").appending(member.key)
            let pattern = try pattern(member.key, at: place)
            properties.patterns.append((pattern, try schema(member.value, at: place)))
        }
        properties.additional = try schema("additionalProperties", object, pointer)
        return properties
    }

    /// Draft 7 has one keyword for what became two: an array requires, a schema applies.
    private mutating func addDependencies(
        _ keyword: String, _ object: JSONObject, _ pointer: JSONPointer,
        to node: inout SchemaNode
    ) throws(SchemaError) {
        var required: [(key: String, required: [String])] = []
        var schemas: [(key: String, schema: SchemaIndex)] = []
        for member in try members(keyword, object, pointer) {
            let place = pointer.appending(keyword)
            if keyword != "dependentSchemas",
                member.value.arrayValue != nil
                    || keyword == "dependentRequired"
            {
                required.append((member.key, try names(member.value, member.key, place)))
            } else {
                let schema = try schema(member.value, at: place.appending(member.key))
                schemas.append((member.key, schema))
            }
        }
        if !required.isEmpty { node.keywords.append(.dependentRequired(required)) }
        if !schemas.isEmpty { node.keywords.append(.dependentSchemas(schemas)) }
    }

    /// The members of the object that is a keyword's value; none where the keyword is absent.
    private func members(
        _ keyword: String, _ object: JSONObject, _ pointer: JSONPointer
    ) throws(SchemaError) -> [JSONObject.Member] {
        guard let value = object[keyword] else { return [] }
        guard case .object(let members) = value else {
            throw .invalidSchema(keyword, "an object", at: pointer)
        }
        return members.members
    }

    private func names(
        _ value: JSONValue, _ keyword: String, _ pointer: JSONPointer
    ) throws(SchemaError) -> [String] {
        guard let elements = value.arrayValue else {
            throw .invalidSchema(keyword, "an array of names", at: pointer)
        }
        var names: [String] = []
        for element in elements {
            guard let name = element.stringValue else {
                throw .invalidSchema(keyword, "an array of names", at: pointer)
            }
            names.append(name)
        }
        return names
    }
}
