import OrderedJSON

/// The version of JSON Schema a document is written in.
enum SchemaDialect {
    case draft7, draft2019, draft2020

    /// The dialect `$schema` names; 2020-12 where it is absent, as MCP says.
    init(of document: JSONValue) throws(SchemaError) {
        guard let declared = document["$schema"] else {
            self = .draft2020
            return
        }
        guard let uri = declared.stringValue else {
            throw .invalidSchema("$schema", "a URI", at: [])
        }
        var name = Substring(uri)
        for prefix in ["https://", "http://"] where name.hasPrefix(prefix) {
            name = name.dropFirst(prefix.count)
        }
        if name.hasSuffix("#") { name = name.dropLast() }
        switch name {
        case "json-schema.org/draft/2020-12/schema": self = .draft2020
        case "json-schema.org/draft/2019-09/schema": self = .draft2019
        case "json-schema.org/draft-07/schema": self = .draft7
        default: throw .unsupportedDialect(uri)
        }
    }
}
