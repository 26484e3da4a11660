public import OrderedJSON

/// What a client can do for a server; empty means nothing optional.
public struct ClientCapabilities: Hashable, Sendable {
    /// All members, also those that have no property here.
    public var json: JSONObject

    /// These capabilities.
    public init(json: JSONObject = [:]) { self.json = json }

    /// Whether forms can be filled in.
    ///
    /// An empty `elicitation` object means forms: so wrote the revisions that had no modes.
    public var elicitsForms: Bool {
        guard let modes = json["elicitation"]?.objectValue else { return false }
        return modes.isEmpty || modes["form"] != nil
    }

    /// The settings of an extension, or nil where it was not declared.
    public func settings(ofExtension name: String) -> JSONObject? {
        json["extensions"]?[name]?.objectValue
    }
}

/// What a server offers.
public struct ServerCapabilities: Hashable, Sendable {
    /// All members, also those that have no property here.
    public var json: JSONObject

    /// These capabilities.
    public init(json: JSONObject = [:]) { self.json = json }

    /// Tools, and nothing else; `listChanged` says whether changes are really announced.
    public static func tools(listChanged: Bool = false) -> Self {
        Self(json: ["tools": listChanged ? ["listChanged": true] : [:]])
    }

    /// Whether changes of the list of tools are announced.
    public var announcesToolChanges: Bool { json["tools"]?["listChanged"]?.boolValue ?? false }
}
