internal import DurableLog
internal import Synchronization

/// Where the engine may be stopped by a test, to prove what a crash there does.
public enum Failpoint: String, CaseIterable, Sendable {
    /// A call is planned; nothing of it is durable that is not durable before.
    case beforeIntent = "before-intent"
    /// A call's intent is as durable as its kind asks; its body has not started.
    case afterIntent = "after-intent"
    /// A call's body has returned; its result is not durable.
    case afterBody = "after-body"
    /// A call's result is durable; nobody was told.
    case afterResult = "after-result"
}

/// How an engine behaves.
public struct EngineConfiguration: Sendable {
    /// Whether it runs what it finds to do; a command-line tool that decides an approval does not.
    public var runsWork = true
    /// How often it looks for dead processes and for work that nobody holds.
    public var upkeepInterval: Duration = .milliseconds(200)
    /// The wait before the second attempt at a call; it doubles from attempt to attempt.
    public var retryDelay: Duration = .milliseconds(500)
    /// How long the owner of a conversation in another process may take to answer a command.
    public var commandTimeout: Duration = .seconds(30)
    /// Called at each failpoint, with the tool whose call is under way.
    public var atFailpoint: @Sendable (Failpoint, String) -> Void = { _, _ in }
    /// Told what went wrong where nobody waits for an answer; ids only, no content.
    public var log: @Sendable (String) -> Void = { _ in }

    /// The defaults.
    public init() {}
}

/// What the parts of one engine share.
final class EngineServices: Sendable {
    let store: any EventStore
    let tools: any ToolSource
    let clock: any EngineClock
    let identifiers: any IdentifierSource
    let keys: StoreKeys
    let configuration: EngineConfiguration
    let observers = RunObservers()
    let owners = Mutex<[ConversationID: ConversationOwner]>([:])
    /// Conversations whose lease is ours in the store, but that have no owner here.
    let lost = Mutex<Set<ConversationID>>([])
    let isStopping = Mutex(false)
    let jobs: AsyncStream<@Sendable () async -> Void>
    private let jobQueue: AsyncStream<@Sendable () async -> Void>.Continuation

    init(
        store: any EventStore, tools: any ToolSource, clock: any EngineClock,
        identifiers: any IdentifierSource, keys: StoreKeys, configuration: EngineConfiguration
    ) {
        self.store = store
        self.tools = tools
        self.clock = clock
        self.identifiers = identifiers
        self.keys = keys
        self.configuration = configuration
        (jobs, jobQueue) = AsyncStream.makeStream()
    }

    /// Runs `job` as a child of the engine's `run()`; false where that takes no more.
    func start(_ job: @escaping @Sendable () async -> Void) -> Bool {
        if case .terminated = jobQueue.yield(job) { false } else { true }
    }

    /// Takes no more jobs.
    func finishJobs() { jobQueue.finish() }

    var stopping: Bool { isStopping.withLock { $0 } }

    /// The time and a fresh id, for a decision.
    func decisionInput() -> DecisionInput {
        DecisionInput(now: clock.now(), approvalID: identifiers.approval())
    }

    /// The owner of a conversation here, made if there is none.
    func owner(of conversation: ConversationID, isNew: Bool) -> ConversationOwner {
        owners.withLock { owners in
            if let owner = owners[conversation] { return owner }
            let owner = ConversationOwner(conversation, isNew: isNew, services: self)
            owners[conversation] = owner
            return owner
        }
    }

    /// Waits for a time to pass or a value to come; the stream has ended afterwards.
    func pause(_ time: Duration, or stream: AsyncStream<some Sendable>) async {
        let clock = clock
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                // Cancelled is waited enough.
                try? await clock.sleep(for: time)
            }
            group.addTask { for await _ in stream { break } }
            await group.next()
            group.cancelAll()
        }
    }

    /// Forgets an owner that is done.
    func retire(_ owner: ConversationOwner) {
        owners.withLock { owners in
            if owners[owner.conversation] === owner { owners[owner.conversation] = nil }
        }
    }

    /// Tells every other process that there may be something to do.
    func wakeOthers() async {
        do throws(StoreError) {
            for process in try await store.processes() where process != store.processID {
                await store.wake(process)
            }
        } catch {
            configuration.log("Cannot wake other processes: \(error.message)")
        }
    }
}

extension EngineError {
    static func storage(_ error: StoreError) -> Self {
        Self(code: .storage, message: error.message)
    }

    /// What any failure below comes down to; one that is neither ours nor the store's is a task
    /// that was cancelled.
    static func wrapping(_ error: any Error) -> Self {
        switch error {
        case let error as EngineError: error
        case let error as StoreError: storage(error)
        default: stopping()
        }
    }
}
