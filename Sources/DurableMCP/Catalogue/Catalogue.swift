public import DurableEngine
internal import DurableLog
internal import DurableSecurity
internal import MCPClient
internal import MCPProtocol
internal import OrderedJSON
internal import Synchronization

/// The tools of the servers behind us, as the store has pinned them: the same for every client,
/// whatever servers are up.
///
/// ``run()`` lists the servers in the background; looking tools up and calling them work without.
public final class Catalogue: ToolSource {
    /// How long a list waits for servers that were never seen before.
    static let firstSightPatience: Duration = .seconds(20)
    /// How often the store is asked whether another process has changed something.
    static let pollInterval: Duration = .seconds(2)

    private struct Shelf {
        var revision: String
        var items: [CatalogueItem]
    }

    private struct State {
        var shelves: [String: Shelf] = [:]
        var byName: [String: CatalogueItem] = [:]
        var startedAt: Int64?
        var failures: [String: String] = [:]
    }

    let upstreams: [Upstream]
    let clock: any EngineClock
    let log: @Sendable (String) -> Void
    private let table: CatalogueStore
    private let byUpstream: [String: Upstream]
    private let sights: [String: Latch]
    private let state = Mutex(State())

    init(
        _ configs: [UpstreamConfig], store: any EventStore, keys: StoreKeys,
        clock: any EngineClock, surroundings: UpstreamSurroundings
    ) {
        self.clock = clock
        log = surroundings.log
        table = CatalogueStore(store: store)
        let key = Array(keys.fingerprint(Array("upstream configuration".utf8)).utf8)
        upstreams = configs.filter { config in
            guard config.isEnabled, case .stdio = config.transport else { return false }
            return true
        }.map { config in
            Upstream(
                config,
                identity: .init(name: config.name, fingerprint: config.fingerprint(key: key)),
                surroundings: surroundings)
        }
        byUpstream = Dictionary(uniqueKeysWithValues: upstreams.map { ($0.name, $0) })
        sights = byUpstream.mapValues { _ in Latch() }
    }

    // MARK: The engine's side

    /// The tool of this name, from memory or the store; no server is waited for.
    public func tool(named name: String) async -> ToolLookup {
        if let item = item(named: name), item.isUsable { return found(item) }
        var owner: String?  // The server of a tool that is not one of ours.
        do throws(StoreError) {
            try await load()
            if item(named: name) == nil { owner = try await table.entry(named: name)?.upstream }
        } catch {
            return .unavailable("'\(name)' cannot be looked up: \(error.message)")
        }
        if let item = item(named: name) {
            if item.isUsable { return found(item) }
            if !item.isAllowed {
                return .absent(
                    "The configuration does not allow '\(name)'; 'allow' of its server lists "
                        + "what it does.")
            }
            if item.entry.isGone {
                return .absent(
                    "The server '\(item.entry.upstream)' does not offer '\(name)' any more.")
            }
            return .unavailable(Self.withheldText(item.entry))
        }
        if let owner, byUpstream[owner] == nil {
            return .unavailable(
                "'\(name)' belongs to the server '\(owner)', which is not in the "
                    + "configuration of this process.")
        }
        if let unseen = unseenUpstream(of: name) { return .unavailable(unseenText(name, unseen)) }
        return .absent(absentText(name))
    }

    /// Whether this process has a server, configured alike.
    public func has(_ upstream: ToolFacts.Upstream) -> Bool {
        byUpstream[upstream.name]?.identity == upstream
    }

    // MARK: The clients' side

    /// The tools that can be called, in the order of the configuration and of each server.
    ///
    /// Servers that were never seen before are waited for, ``firstSightPatience`` at most.
    func usableItems() async throws(StoreError) -> [CatalogueItem] {
        try await load()
        await awaitFirstSights(of: upstreams.map(\.name))
        return state.withLock { state in
            upstreams.flatMap { state.shelves[$0.name]?.items ?? [] }.filter(\.isUsable)
        }
    }

    /// Whether some server was never seen, so that a list may soon be longer.
    var isIncomplete: Bool { sights.values.contains { !$0.isOpen } || !failures.isEmpty }

    /// Why servers that were never seen could not be listed, by name.
    var failures: [String: String] { state.withLock(\.failures) }

    /// The tool of this name, whether or not it can be called.
    func item(named name: String) -> CatalogueItem? { state.withLock { $0.byName[name] } }

    /// Waits for the server of a tool, if that was never seen before.
    func awaitFirstSight(ofToolNamed name: String) async {
        guard item(named: name) == nil, let upstream = unseenUpstream(of: name) else { return }
        await awaitFirstSights(of: [upstream])
    }

    // MARK: Texts

    static func withheldText(_ entry: CatalogueEntry) -> String {
        """
        '\(entry.name)' is withheld: the server '\(entry.upstream)' has changed its definition \
        since it was first seen, and nobody has accepted that. 'durable-mcp doctor' shows what \
        changed; 'durable-mcp upstream accept \(entry.upstream)' accepts it.
        """
    }

    func absentText(_ name: String) -> String {
        let names = state.withLock { $0.byName.filter(\.value.isUsable).map(\.key).sorted() }
        let hint = NearestName.of(name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return "There is no tool '\(name)'.\(hint) tools/list shows those there are."
    }

    private func unseenText(_ name: String, _ upstream: String) -> String {
        let reason = failures[upstream] ?? "it has not answered yet."
        return """
            '\(name)' cannot be used yet, since its server '\(upstream)' was never reached: \
            \(reason)
            """
    }

    private func unseenUpstream(of name: String) -> String? {
        let seen = state.withLock { Set($0.shelves.keys) }
        return upstreams.map(\.name).first {
            !seen.contains($0) && ToolName.looksLike(name, toolOf: $0)
        }
    }

    private func found(_ item: CatalogueItem) -> ToolLookup {
        guard let upstream = byUpstream[item.entry.upstream] else {
            return .unavailable("'\(item.entry.name)' is not configured here.")
        }
        return .found(UpstreamTool(item: item, upstream: upstream, catalogue: self))
    }

    // MARK: Keeping up with the store

    /// Takes in what any process has pinned since the last time.
    func load() async throws(StoreError) {
        let revisions = try await table.revisions()
        for upstream in upstreams {
            guard let revision = revisions[upstream.name],
                state.withLock({ $0.shelves[upstream.name]?.revision }) != revision
            else { continue }
            put(try await table.entries(of: upstream.name), revision: revision, upstream)
        }
    }

    private func put(_ entries: [CatalogueEntry], revision: String, _ upstream: Upstream) {
        let items = entries.map { CatalogueItem($0, of: upstream, log: log) }
        state.withLock { state in
            for item in state.shelves[upstream.name]?.items ?? [] {
                state.byName[item.entry.name] = nil
            }
            state.shelves[upstream.name] = Shelf(revision: revision, items: items)
            for item in items { state.byName[item.entry.name] = item }
            state.failures[upstream.name] = nil
        }
        sights[upstream.name]?.open()
    }

    /// Pins what a server lists, or keeps it back where it has changed.
    private func record(
        _ tools: [ToolDefinition], of upstream: Upstream
    ) async throws(StoreError) {
        let update = try await table.record(tools, of: upstream.name, now: clock.now())
        for name in update.withheld {
            log("Tool \(item(named: name).map { Self.withheldText($0.entry) } ?? "'\(name)'")")
        }
        if !update.added.isEmpty {
            log("Pinned \(update.added.count) tools of the server '\(upstream.name)'.")
        }
        if state.withLock({ $0.shelves[upstream.name]?.revision }) != update.revision {
            put(update.entries, revision: update.revision, upstream)
        }
    }

    /// Makes sure that a tool is still the one that was pinned, before it is called.
    func checkIsCurrent(
        _ item: CatalogueItem, of upstream: Upstream
    ) async throws(UpstreamFailure) {
        let listing = try await upstream.list()
        guard listing.isNew else { return }
        do throws(StoreError) {
            try await record(listing.tools, of: upstream)
        } catch {
            throw UpstreamFailure(message: error.message, isRetryable: true)
        }
        guard let now = self.item(named: item.entry.name), !now.entry.isGone else {
            throw UpstreamFailure(
                message:
                    "The server '\(upstream.name)' does not offer '\(item.entry.tool)' any more.",
                isRetryable: false)
        }
        if now.entry.isWithheld || now.entry.pinned.digest != item.entry.pinned.digest {
            throw UpstreamFailure(message: Self.withheldText(now.entry), isRetryable: false)
        }
    }
}

// MARK: - In the background

extension Catalogue {
    private static let firstRetryDelay: Duration = .seconds(1)
    private static let longestRetryDelay: Duration = .seconds(60)

    /// Lists each server once, again when it says that its tools have changed, and looks for what
    /// other processes have pinned or accepted.
    ///
    /// Returns when its task is cancelled, with every server ended.
    func run() async {
        state.withLock { $0.startedAt = clock.now() }
        await withDiscardingTaskGroup { group in
            for upstream in upstreams { group.addTask { await self.keepListed(upstream) } }
            if !upstreams.isEmpty { group.addTask { await self.pollStore() } }
        }
        await close()
    }

    /// Ends every server.
    func close() async {
        await withDiscardingTaskGroup { group in
            for upstream in upstreams { group.addTask { await upstream.close() } }
        }
    }

    private func keepListed(_ upstream: Upstream) async {
        var delay = Self.firstRetryDelay
        var changes = upstream.changes.makeAsyncIterator()
        while !Task.isCancelled {
            do {
                try await record(try await upstream.refreshedList(), of: upstream)
            } catch {
                if Task.isCancelled { return }
                note(error, of: upstream)
                if sights[upstream.name]?.isOpen != true || failures[upstream.name] != nil {
                    // Nothing is known of it, so nobody can call it, and only this finds it.
                    try? await clock.sleep(for: delay)  // Cancelled is waited enough.
                    delay = min(delay * 2, Self.longestRetryDelay)
                    continue
                }
            }
            // A call starts it again where it has ended, and compares what it lists then.
            guard await changes.next() != nil else { return }
        }
    }

    private func note(_ error: any Error, of upstream: Upstream) {
        let message = (error as? UpstreamFailure)?.message ?? "\(error)"
        let isNews = state.withLock { state in
            guard state.shelves[upstream.name] == nil else { return true }
            defer { state.failures[upstream.name] = message }
            return state.failures[upstream.name] != message
        }
        if isNews { log("Cannot list the tools of a server. \(message)") }
        sights[upstream.name]?.open()
    }

    private func pollStore() async {
        while !Task.isCancelled {
            do {
                try await clock.sleep(for: Self.pollInterval)
                try await load()
            } catch let error as StoreError {
                log("Cannot look for changes of tools: \(error.message)")
            } catch {
                return  // Cancelled.
            }
        }
    }

    /// Waits for servers that were never seen, not longer than if they had been waited for from
    /// the start.
    private func awaitFirstSights(of names: [String]) async {
        let unseen = names.compactMap { sights[$0] }.filter { !$0.isOpen }
        guard !unseen.isEmpty else { return }
        let (startedAt, clock) = (state.withLock(\.startedAt), clock)
        let patience =
            Self.firstSightPatience
            - .milliseconds(startedAt.map { clock.now() - $0 } ?? 0)
        guard patience > .zero else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for latch in unseen { await latch.wait() } }
            group.addTask {
                // Cancelled is waited enough.
                try? await clock.sleep(for: patience)
            }
            await group.next()
            group.cancelAll()
        }
    }
}
