import OrderedJSON

/// Turns a schema document into nodes, one for each schema that the entry reaches.
///
/// Schemas wait in a queue, so neither deep nesting nor references that form a loop recurse.
struct SchemaCompiler {
    let limits: SchemaLimits
    let dialect: SchemaDialect
    private let document: JSONValue
    private let identifiers: SchemaIdentifiers
    private var nodes: [SchemaNode] = []
    private var places: [JSONPointer: SchemaIndex] = [:]
    private var queue: [(index: SchemaIndex, value: JSONValue, pointer: JSONPointer)] = []
    /// Whether any schema asks what other keywords have evaluated.
    var tracksEvaluation = false

    init(_ document: JSONValue, limits: SchemaLimits) throws(SchemaError) {
        self.document = document
        self.limits = limits
        dialect = try SchemaDialect(of: document)
        identifiers = try SchemaIdentifiers(document)
    }

    /// Compiles the schema that `entry` refers to and all it reaches; it becomes the first node.
    mutating func compile(entry: String) throws(SchemaError) -> [SchemaNode] {
        _ = try resolve(entry, from: [], keyword: "$ref")
        var next = 0
        while next < queue.count {
            let (index, value, pointer) = queue[next]
            next += 1
            nodes[index] = try node(value, at: pointer)
        }
        return nodes
    }

    /// The index of the schema at a place, compiled now or later.
    mutating func schema(
        _ value: JSONValue, at pointer: JSONPointer
    ) throws(SchemaError) -> SchemaIndex {
        if let known = places[pointer] { return known }
        guard nodes.count < limits.schemas else {
            throw .tooLarge("schemas", limit: limits.schemas, at: pointer)
        }
        switch value {
        case .object, .bool: break
        default: throw .notASchema(at: pointer)
        }
        let index = nodes.count
        nodes.append(SchemaNode())
        places[pointer] = index
        queue.append((index, value, pointer))
        return index
    }

    /// The schema that a reference leads to, inside this document only.
    mutating func resolve(
        _ reference: String, from pointer: JSONPointer, keyword: String
    ) throws(SchemaError) -> SchemaIndex {
        let place = pointer.appending(keyword)
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let fragment = parts.count > 1 ? String(parts[1]) : ""
        var resource = identifiers.resource(enclosing: pointer)
        if let base = parts.first, !base.isEmpty {
            guard let named = identifiers.resource(named: String(base)) else {
                throw .unresolvedReference(reference, at: place)
            }
            resource = named
        }
        let root = identifiers.resources[resource].pointer
        var target: JSONPointer
        if fragment.isEmpty || fragment.hasPrefix("/") {
            do throws(JSONError) {
                target = try JSONPointer(parsing: "#" + fragment)
            } catch {
                throw .unresolvedReference(reference, at: place)
            }
            target.tokens.insert(contentsOf: root.tokens, at: 0)
        } else {
            guard let anchored = identifiers.anchor(fragment, in: resource) else {
                throw .unresolvedReference(reference, at: place)
            }
            target = anchored
        }
        guard let value = document[target] else {
            throw .unresolvedReference(reference, at: place)
        }
        return try schema(value, at: target)
    }

    /// Refuses a dynamic reference whose target would depend on the way it was reached.
    func checkDynamic(_ reference: String, at pointer: JSONPointer) throws(SchemaError) {
        let name = String(reference.drop { $0 != "#" }.dropFirst())
        guard identifiers.dynamicAnchorCount(name) <= 1 else {
            throw .unsupportedKeyword(
                "$dynamicRef", "several schemas have this `$dynamicAnchor`", at: pointer)
        }
    }

    /// Whether the document is a single resource, so that `$recursiveRef` is a plain reference.
    var isSingleResource: Bool { identifiers.resources.count == 1 }
}
