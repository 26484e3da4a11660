public import OrderedJSON

/// The name and version that a client or server gives itself; not verified by anyone.
public struct Implementation: Hashable, Sendable {
    /// All members, also those that have no property here.
    public let json: JSONObject

    /// An implementation of this name and version.
    public init(
        name: String, version: String, title: String? = nil, description: String? = nil,
        websiteURL: String? = nil
    ) {
        var json: JSONObject = ["name": .string(name)]
        json["title"] = title.map(JSONValue.string)
        json["version"] = .string(version)
        json["description"] = description.map(JSONValue.string)
        json["websiteUrl"] = websiteURL.map(JSONValue.string)
        self.json = json
    }

    /// Reads one.
    ///
    /// - Throws: ``MalformedMessage`` where it has no `name` or no `version`.
    public init(json value: JSONValue) throws(MalformedMessage) {
        guard let json = value.objectValue, json["name"]?.stringValue != nil,
            json["version"]?.stringValue != nil
        else { throw .invalidParams("an implementation must have a 'name' and a 'version'.") }
        self.json = json
    }

    /// The name for programs.
    public var name: String { json["name"]?.stringValue ?? "" }

    /// The version.
    public var version: String { json["version"]?.stringValue ?? "" }

    /// The name for people.
    public var title: String? { json["title"]?.stringValue }
}
