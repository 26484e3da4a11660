public import DurableLog
internal import MCPProtocol
internal import OpenSSLCrypto
internal import OrderedJSON

/// The pinned definitions of the tools behind us, as the store keeps them for every process.
///
/// It needs no server to be up, and so serves the command line too.
public struct CatalogueStore: Sendable {
    /// A tool whose definition is not the one that was pinned.
    public struct Change: Hashable, Sendable {
        /// The server's name.
        public var upstream: String
        /// The tool's name there.
        public var tool: String
        /// The name under which it is shown.
        public var name: String
        /// What was pinned, and what it is now, as JSON on one line.
        public var pinned: String
        /// What it has changed to, as JSON on one line.
        public var changed: String
    }

    /// What a listing changed.
    struct Update: Sendable {
        /// All tools of the server, as they stand now.
        var entries: [CatalogueEntry]
        /// The revision that stands for them.
        var revision: String
        /// Names of tools whose definition has just been found to differ.
        var withheld: [String] = []
        /// Names of tools that were not there before.
        var added: [String] = []
    }

    private static let attempts = 5

    let store: any EventStore

    /// The catalogue in a store that was opened with ``DurableMCPTables``.
    public init(store: any EventStore) { self.store = store }

    // MARK: Reading

    /// The servers that were ever listed, and what changes with each change of their tools.
    func revisions() async throws(StoreError) -> [String: String] {
        let rows = try await store.rows(TableQuery(DurableMCPTables.upstreams.name))
        var revisions: [String: String] = [:]
        for row in rows { revisions[row.text("upstream") ?? ""] = row.text("revision") }
        return revisions
    }

    /// The tools of one server, in its order, those that are gone too.
    func entries(of upstream: String) async throws(StoreError) -> [CatalogueEntry] {
        let rows = try await store.rows(
            TableQuery(
                DurableMCPTables.catalogue.name, where: ["upstream": .equals(.text(upstream))],
                limit: StoreLimits.readLimit))
        return rows.compactMap(CatalogueEntry.init).sorted {
            ($0.position, $0.tool) < ($1.position, $1.tool)
        }
    }

    /// The tool of any server that is shown under this name.
    func entry(named name: String) async throws(StoreError) -> CatalogueEntry? {
        try await store.rows(
            TableQuery(
                DurableMCPTables.catalogue.name, where: ["name": .equals(.text(name))], limit: 1)
        ).first.flatMap(CatalogueEntry.init)
    }

    /// Every tool that is kept back, since its definition is not the one that was pinned.
    ///
    /// - Throws: `StoreError` where the store cannot be read.
    public func changes() async throws(StoreError) -> [Change] {
        let rows = try await store.rows(
            TableQuery(
                DurableMCPTables.catalogue.name, where: ["changedDigest": .isNotNull],
                limit: StoreLimits.readLimit))
        return rows.compactMap(CatalogueEntry.init).compactMap { entry in
            entry.changed.map { changed in
                Change(
                    upstream: entry.upstream, tool: entry.tool, name: entry.name,
                    pinned: entry.pinned.text, changed: changed.text)
            }
        }
    }

    // MARK: Writing

    /// Accepts the new definitions of a server's tools, as they were last seen.
    ///
    /// `tool` names one of them alone, by its name there or the one it is shown under.
    ///
    /// - Returns: The names of the tools that are in use again, possibly none.
    /// - Throws: `StoreError` where the store cannot be read or written.
    public func accept(
        upstream: String, tool: String? = nil, now: Int64
    ) async throws(StoreError) -> [String] {
        var writes: [TableWrite] = []
        var names: [String] = []
        var entries = try await entries(of: upstream)
        for (index, entry) in entries.enumerated() {
            guard let changed = entry.changed, tool.map({ entry.isCalled($0) }) ?? true
            else { continue }
            entries[index].pinned = changed
            entries[index].changed = nil
            entries[index].pinnedAt = now
            names.append(entry.name)
            writes.append(
                .put(
                    table: DurableMCPTables.catalogue.name,
                    row: entries[index].row(changedAt: now)))
        }
        guard !writes.isEmpty else { return [] }
        writes.append(Self.listed(upstream, entries, now: now))
        try await store.commit(Commit(writes: writes))
        return names.sorted()
    }

    /// Takes in what a server lists: new tools are pinned, changed ones kept back.
    ///
    /// Nothing is written where nothing has changed.
    func record(
        _ listed: [ToolDefinition], of upstream: String, now: Int64
    ) async throws(StoreError) -> Update {
        for attempt in 1...Self.attempts {
            let known = try await entries(of: upstream)
            let revisions = try await revisions()
            var merge = CatalogueMerge(known: known, upstream: upstream, now: now)
            for name in merge.wantedNames(listed) {
                if let holder = try await entry(named: name), holder.upstream != upstream {
                    merge.taken.insert(name)
                }
            }
            merge.take(listed)
            if merge.writes.isEmpty, let current = revisions[upstream] {
                return Update(entries: known, revision: current)
            }
            let writes = merge.writes + [Self.listed(upstream, merge.entries, now: now)]
            do throws(StoreError) {
                try await store.commit(Commit(writes: writes))
                return Update(
                    entries: merge.entries, revision: Self.revision(of: merge.entries),
                    withheld: merge.withheld, added: merge.added)
            } catch  where error.code == .duplicateKey && attempt < Self.attempts {
                continue  // Another process has just pinned one of them: see what it pinned.
            }
        }
        preconditionFailure("The last attempt returns or throws.")
    }

    private static func listed(
        _ upstream: String, _ entries: [CatalogueEntry], now: Int64
    ) -> TableWrite {
        .put(
            table: DurableMCPTables.upstreams.name,
            row: [
                "upstream": .text(upstream), "revision": .text(revision(of: entries)),
                "listedAt": .integer(now),
            ])
    }

    /// The same for the same entries, and for no others.
    private static func revision(of entries: [CatalogueEntry]) -> String {
        let parts = entries.map { entry -> JSONValue in
            [
                .string(entry.tool), .string(entry.name), .string(entry.pinned.digest),
                .string(entry.changed?.digest ?? ""), .bool(entry.isGone),
            ]
        }
        return Hex.encode(SHA256.hash(JSONValue.array(parts).text))
    }
}
