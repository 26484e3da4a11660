import OrderedJSON

/// The names a document gives to schemas inside it: `$id`, `$anchor` and `$dynamicAnchor`.
struct SchemaIdentifiers {
    /// A schema with an `$id`, or the document; anchors and pointers are relative to it.
    struct Resource {
        let identifier: String?
        let pointer: JSONPointer
    }

    private(set) var resources: [Resource] = []
    private var anchors: [[ExactString: JSONPointer]] = []
    private var dynamicAnchors: [ExactString: Int] = [:]

    /// Finds all names, without recursion.
    init(_ document: JSONValue) throws(SchemaError) {
        resources = [Resource(identifier: Self.identifier(of: document), pointer: [])]
        anchors = [[:]]
        var open: [(value: JSONValue, pointer: JSONPointer, resource: Int)] = [(document, [], 0)]
        var next = 0
        while next < open.count {
            let (value, pointer, enclosing) = open[next]
            next += 1
            guard case .object(let object) = value else { continue }
            var resource = enclosing
            if let identifier = Self.identifier(of: value), !pointer.tokens.isEmpty {
                resource = resources.count
                resources.append(Resource(identifier: identifier, pointer: pointer))
                anchors.append([:])
            }
            try note(object, at: pointer, in: resource)
            for member in object.members {
                let place = pointer.appending(member.key)
                for (child, token) in Self.children(of: member) {
                    let childPlace = token.map(place.appending) ?? place
                    open.append((child, childPlace, resource))
                }
            }
        }
    }

    /// The resource that a place belongs to.
    func resource(enclosing pointer: JSONPointer) -> Int {
        var best = 0
        for (index, resource) in resources.enumerated()
        where resource.pointer.tokens.count > resources[best].pointer.tokens.count
            && pointer.tokens.starts(with: resource.pointer.tokens)
        {
            best = index
        }
        return best
    }

    /// The resource with this `$id`.
    func resource(named identifier: String) -> Int? {
        resources.firstIndex { $0.identifier == identifier }
    }

    /// The place an anchor of a resource names.
    func anchor(_ name: String, in resource: Int) -> JSONPointer? {
        anchors[resource][ExactString(name)]
    }

    /// How many resources give this name to a `$dynamicAnchor`.
    func dynamicAnchorCount(_ name: String) -> Int { dynamicAnchors[ExactString(name)] ?? 0 }

    private mutating func note(
        _ object: JSONObject, at pointer: JSONPointer, in resource: Int
    ) throws(SchemaError) {
        var names: [(keyword: String, name: String)] = []
        for keyword in ["$anchor", "$dynamicAnchor"] {
            guard let name = object[keyword] else { continue }
            guard let name = name.stringValue else {
                throw .invalidSchema(keyword, "a string", at: pointer)
            }
            names.append((keyword, name))
            if keyword == "$dynamicAnchor" { dynamicAnchors[ExactString(name), default: 0] += 1 }
        }
        // Draft 7 has no `$anchor` and writes it as an `$id` that is only a fragment.
        if let name = object["$id"]?.stringValue, name.hasPrefix("#"), name != "#" {
            names.append(("$id", String(name.dropFirst())))
        }
        for (keyword, name) in names {
            let earlier = anchors[resource].updateValue(pointer, forKey: ExactString(name))
            guard earlier == nil || earlier == pointer else {
                throw .invalidSchema(keyword, "a name used once", at: pointer)
            }
        }
    }

    private static func identifier(of value: JSONValue) -> String? {
        guard let identifier = value["$id"]?.stringValue, !identifier.hasPrefix("#") else {
            return nil
        }
        return identifier.hasSuffix("#") ? String(identifier.dropLast()) : identifier
    }

    /// The schemas that are the value of a keyword, with the token each stands under.
    private static func children(
        of member: JSONObject.Member
    ) -> [(value: JSONValue, token: String?)] {
        switch member.key {
        case "additionalItems", "contains", "additionalProperties", "propertyNames", "not", "if",
            "then", "else", "unevaluatedItems", "unevaluatedProperties", "contentSchema", "items",
            "allOf", "anyOf", "oneOf", "prefixItems":
            guard case .array(let schemas) = member.value else { return [(member.value, nil)] }
            return schemas.enumerated().map { ($0.element, String($0.offset)) }
        case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas",
            "dependencies":
            return (member.value.objectValue?.members ?? []).map { ($0.value, $0.key) }
        default: return []
        }
    }
}
