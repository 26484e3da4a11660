public import DurableLog
internal import DurableSecurity
internal import OpenSSLCrypto
internal import OrderedJSON
internal import Synchronization

/// The durable engine: it accepts runs, carries them out step by step, and journals each step
/// before and after it happens.
///
/// ``run()`` must be running for work to be done; commands and queries work without.
public final class Engine: Sendable {
    let services: EngineServices

    /// The keys that follow from the store's secret.
    package var keys: StoreKeys { services.keys }

    private init(_ services: EngineServices) { self.services = services }

    /// An engine on an open store, which must have been opened with ``EngineTables``.
    ///
    /// - Throws: `StoreError` where the store's secret can be neither read nor made.
    public static func open(
        store: any EventStore, tools: any ToolSource, clock: any EngineClock,
        identifiers: any IdentifierSource, configuration: EngineConfiguration = .init()
    ) async throws(StoreError) -> Engine {
        let keys = try await storeKeys(of: store)
        return Engine(
            EngineServices(
                store: store, tools: tools, clock: clock, identifiers: identifiers, keys: keys,
                configuration: configuration))
    }

    /// The keys of a store, whose secret is made where there is none yet.
    package static func storeKeys(
        of store: any EventStore
    ) async throws(StoreError) -> StoreKeys {
        let name = "secret"
        if let secret = try await store.metadata(name) { return StoreKeys(secret: secret) }
        return StoreKeys(
            secret: try await store.setMetadataIfAbsent(name, SecureRandom.bytes(32)))
    }

    // MARK: Running

    /// Does the work: of runs submitted here, of dead processes, and of conversations that nobody
    /// holds.
    ///
    /// Returns after ``stop()`` once everything here is at a safe point, or when its task is
    /// cancelled, which asks tool bodies to end early.
    public func run() async {
        let services = services
        let upkeep = Upkeep(self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await upkeep.run() }
            await withDiscardingTaskGroup { work in
                for await job in services.jobs { work.addTask { await job() } }
            }
            group.cancelAll()
        }
        // What was asked for too late to be driven is handed on.
        if services.stopping {
            for owner in services.owners.withLock({ Array($0.values) }) { await owner.drive() }
        }
    }

    /// Stops at the next safe points, and hands on what is not done.
    ///
    /// ``run()`` then returns.
    public func stop() async {
        services.isStopping.withLock { $0 = true }
        for owner in services.owners.withLock({ Array($0.values) }) { await owner.wakeUp() }
        services.finishJobs()
        await services.wakeOthers()
    }
}

/// What is asked for with a new run.
public struct RunRequest: Sendable {
    /// What it is to do.
    public var work: Work
    /// The conversation to put it in; one of its own where nil.
    public var conversationID: ConversationID?
    /// The id that makes a retry find the first run.
    public var requestID: String?

    /// A request of these parts.
    public init(work: Work, conversationID: ConversationID? = nil, requestID: String? = nil) {
        self.work = work
        self.conversationID = conversationID
        self.requestID = requestID
    }
}
