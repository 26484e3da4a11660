internal import DurableLog
internal import MCPProtocol
internal import OrderedJSON

/// What a server lists, laid over what is pinned of it.
struct CatalogueMerge {
    private let upstream: String
    private let now: Int64
    private var known: [String: CatalogueEntry] = [:]
    /// Names that are in use, by whatever server.
    var taken: Set<String> = []
    /// All tools as they stand afterwards, in order.
    private(set) var entries: [CatalogueEntry] = []
    /// What must be written for that.
    private(set) var writes: [TableWrite] = []
    /// Names of tools whose definition has just been found to differ.
    private(set) var withheld: [String] = []
    /// Names of tools that were not there before.
    private(set) var added: [String] = []

    init(known: [CatalogueEntry], upstream: String, now: Int64) {
        self.upstream = upstream
        self.now = now
        for entry in known {
            self.known[entry.tool] = entry
            taken.insert(entry.name)
        }
    }

    /// The names that new tools would like to have.
    func wantedNames(_ listed: [ToolDefinition]) -> [String] {
        listed.filter { known[$0.name] == nil }.map {
            ToolName.plain(server: upstream, tool: $0.name)
        }
    }

    mutating func take(_ listed: [ToolDefinition]) {
        var names = newNames(listed)
        var seen: Set<String> = []
        for (position, definition) in listed.enumerated()
        where seen.insert(definition.name).inserted {
            let pin = CatalogueEntry.Pin(definition)
            guard let old = known[definition.name] else {
                let entry = CatalogueEntry(
                    upstream: upstream, tool: definition.name,
                    name: names.removeValue(forKey: definition.name) ?? "",
                    position: Int64(position), pinned: pin, pinnedAt: now)
                entries.append(entry)
                added.append(entry.name)
                writes.append(
                    .insert(table: DurableMCPTables.catalogue.name, row: entry.row(changedAt: now)))
                continue
            }
            var entry = old
            entry.position = Int64(position)
            entry.isGone = false
            entry.changed = pin.digest == old.pinned.digest ? nil : pin
            if entry.changed != nil, entry.changed?.digest != old.changed?.digest {
                withheld.append(entry.name)
            }
            update(old, to: entry)
        }
        for old in known.values.sorted(by: { $0.position < $1.position })
        where !seen.contains(old.tool) {
            var entry = old
            entry.isGone = true
            update(old, to: entry)
        }
    }

    private mutating func update(_ old: CatalogueEntry, to entry: CatalogueEntry) {
        entries.append(entry)
        guard entry != old else { return }
        // Only what a listing says: somebody may accept a change at the same time.
        var set = entry.row(changedAt: now)
        for column in ["upstream", "tool", "name", "digest", "definition", "pinnedAt"] {
            set[column] = nil
        }
        writes.append(
            .update(table: DurableMCPTables.catalogue.name, key: entry.key, set: set))
    }

    /// A name for each new tool, the same whatever order they come in.
    private mutating func newNames(_ listed: [ToolDefinition]) -> [String: String] {
        var names: [String: String] = [:]
        let new = Set(listed.map(\.name)).filter { known[$0] == nil }
        // Where two want one name, it is for the one that is written like that.
        let ordered = new.map { (tool: $0, plain: ToolName.plain(server: upstream, tool: $0)) }
            .sorted {
                let (left, right) = (!$0.plain.hasSuffix($0.tool), !$1.plain.hasSuffix($1.tool))
                return left == right ? $0.tool < $1.tool : right
            }
        for (tool, plain) in ordered {
            let name =
                taken.contains(plain) ? ToolName.short(server: upstream, tool: tool) : plain
            taken.insert(name)
            names[tool] = name
        }
        return names
    }
}

extension CatalogueEntry {
    /// Whether somebody means this tool by a name.
    func isCalled(_ text: String) -> Bool { tool == text || name == text }
}

extension CatalogueEntry.Pin {
    /// The definition as JSON on one line.
    var text: String { JSONValue.object(definition.json).text }
}
