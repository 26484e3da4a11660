internal import DurableLog
internal import MCPProtocol
internal import OpenSSLCrypto
internal import OrderedJSON

/// One tool of a server behind us, as it was first seen.
struct CatalogueEntry: Hashable, Sendable {
    /// A definition and its digest.
    struct Pin: Hashable, Sendable {
        var digest: String
        var definition: ToolDefinition
    }

    /// The server's name.
    var upstream: String
    /// The tool's name there.
    var tool: String
    /// The name under which it is shown.
    var name: String
    /// Its place in the server's list.
    var position: Int64
    /// What was pinned.
    var pinned: Pin
    /// When, in milliseconds since 1970.
    var pinnedAt: Int64
    /// What it has changed to since, which nobody has accepted.
    var changed: Pin?
    /// Whether its server does not list it any more.
    var isGone = false

    /// Whether it is kept back until somebody accepts its new definition.
    var isWithheld: Bool { changed != nil }
}

extension CatalogueEntry.Pin {
    /// The members of a definition that a model sees, and that so are pinned.
    static let keys = [
        "name", "title", "description", "inputSchema", "outputSchema", "annotations",
    ]

    /// What a server says of a tool, and the digest of all of it that a model sees.
    init(_ definition: ToolDefinition) {
        var seen = JSONObject()
        for key in Self.keys {
            seen[key] = definition.json[key]
        }
        let bytes = SHA256.hash(JSONValue.object(seen).canonicalBytes())
        self.init(digest: "sha256:" + Hex.encode(bytes), definition: definition)
    }

    init?(digest: String?, definition: String?) {
        guard let digest, let definition,
            let value = try? JSONValue(parsing: definition),  // Unreadable: listed afresh.
            let read = try? ToolDefinition(json: value)  // Likewise.
        else { return nil }
        self.init(digest: digest, definition: read)
    }
}

extension CatalogueEntry {
    init?(_ row: Row) {
        guard let upstream = row.text("upstream"), let tool = row.text("tool"),
            let name = row.text("name"), let position = row.integer("position"),
            let pinnedAt = row.integer("pinnedAt"),
            let pinned = Pin(digest: row.text("digest"), definition: row.text("definition"))
        else { return nil }
        let changed = Pin(
            digest: row.text("changedDigest"), definition: row.text("changedDefinition"))
        self.init(
            upstream: upstream, tool: tool, name: name, position: position, pinned: pinned,
            pinnedAt: pinnedAt, changed: changed?.digest == pinned.digest ? nil : changed,
            isGone: row.integer("isGone") == 1)
    }

    var key: Row { ["upstream": .text(upstream), "tool": .text(tool)] }

    func row(changedAt: Int64) -> Row {
        var row = key
        row["name"] = .text(name)
        row["position"] = .integer(position)
        row["digest"] = .text(pinned.digest)
        row["definition"] = .text(JSONValue.object(pinned.definition.json).text)
        row["pinnedAt"] = .integer(pinnedAt)
        row["changedDigest"] = changed.map { .text($0.digest) } ?? .null
        row["changedDefinition"] =
            changed.map { .text(JSONValue.object($0.definition.json).text) } ?? .null
        row["changedAt"] = changed == nil ? .null : .integer(changedAt)
        row["isGone"] = .integer(isGone ? 1 : 0)
        return row
    }
}

extension Row {
    func text(_ column: String) -> String? {
        if case .text(let value) = self[column] { value } else { nil }
    }

    func integer(_ column: String) -> Int64? {
        if case .integer(let value) = self[column] { value } else { nil }
    }
}
