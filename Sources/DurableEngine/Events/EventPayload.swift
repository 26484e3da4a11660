package import OrderedJSON

/// Reads the members of one stored event, and says which is missing or wrong.
struct EventPayload {
    let object: JSONObject
    let type: String
    let version: Int

    func fail(_ key: String) -> EngineError {
        .unreadableEvent(type, version, "its '\(key)' is missing or malformed")
    }

    func text(_ key: String) throws(EngineError) -> String {
        guard let value = object[key]?.stringValue else { throw fail(key) }
        return value
    }

    func optionalText(_ key: String) throws(EngineError) -> String? {
        object[key] == nil ? nil : try text(key)
    }

    func integer(_ key: String) throws(EngineError) -> Int {
        guard let value = object[key]?.intValue else { throw fail(key) }
        return value
    }

    func optionalInteger(_ key: String) throws(EngineError) -> Int? {
        object[key] == nil ? nil : try integer(key)
    }

    func flag(_ key: String) throws(EngineError) -> Bool {
        guard let value = object[key]?.boolValue else { throw fail(key) }
        return value
    }

    func object(_ key: String) throws(EngineError) -> JSONObject {
        guard let value = object[key]?.objectValue else { throw fail(key) }
        return value
    }

    func named<Name: RawRepresentable<String>>(_ key: String) throws(EngineError) -> Name {
        guard let value = Name(rawValue: try text(key)) else { throw fail(key) }
        return value
    }

    func inner(_ object: JSONObject) -> EventPayload {
        EventPayload(object: object, type: type, version: version)
    }

    func run() throws(EngineError) -> RunID { RunID(rawValue: try text("runId")) }

    func approval() throws(EngineError) -> ApprovalID {
        ApprovalID(rawValue: try text("approvalId"))
    }
}

extension JSONObject {
    /// An object of the members that have a value.
    package init(present pairs: [(String, JSONValue?)]) {
        self.init(pairs.compactMap { key, value in value.map { (key, $0) } })
    }
}

extension JSONValue {
    /// A string, or nil for nil.
    package static func optional(_ text: String?) -> JSONValue? { text.map { .string($0) } }

    /// A number, or nil for nil.
    package static func optional(_ number: (some BinaryInteger)?) -> JSONValue? {
        number.map { .number(JSONNumber($0)) }
    }
}
