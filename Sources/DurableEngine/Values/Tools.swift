public import OrderedJSON

/// What may be done with a call after a crash.
public enum EffectKind: String, CaseIterable, Hashable, Sendable {
    /// It changes nothing: run it again.
    case pure
    /// Twice with one key is once: run it again with the same key.
    case idempotent
    /// It acts on the world: never again, unless it is known not to have happened.
    case external
}

/// How much harm an approved call could do.
public enum Risk: String, CaseIterable, Hashable, Sendable {
    /// The usual.
    case standard
    /// Deciding needs at least the level `devicePasscode`.
    case high
}

/// What the engine must know of a tool before it calls it.
public struct ToolFacts: Hashable, Sendable {
    /// The remote server a tool lives on, as a run is pinned to it.
    public struct Upstream: Hashable, Sendable {
        /// The server's name in the configuration.
        public var name: String
        /// A keyed digest of its configuration.
        public var fingerprint: String

        /// An upstream of these parts.
        public init(name: String, fingerprint: String) {
            self.name = name
            self.fingerprint = fingerprint
        }
    }

    /// Its name, as callers use it.
    public var name: String
    /// What may be done after a crash.
    public var effect: EffectKind
    /// Why a person must approve each call, or nil where none must.
    public var approvalReason: String?
    /// How much harm a call could do.
    public var risk: Risk
    /// A digest of its definition as it was shown, and so approved.
    public var definitionDigest: String
    /// Where it lives, or nil for our own.
    public var upstream: Upstream?
    /// Whether recovery may repeat an unknown external call, with its key, after `settle`.
    public var replayOnCrash: Bool
    /// Whether ``EngineTool/reconcile(_:)`` can tell what became of a call.
    public var canReconcile: Bool
    /// How long one attempt may take.
    public var timeout: Duration
    /// How long after its intent an old attempt may still act.
    public var settle: Duration
    /// How often an attempt that is safe to repeat is made, the first included.
    public var maximumAttempts: Int

    /// Facts of these parts.
    public init(
        name: String, effect: EffectKind, approvalReason: String? = nil, risk: Risk = .standard,
        definitionDigest: String = "", upstream: Upstream? = nil, replayOnCrash: Bool = false,
        canReconcile: Bool = false, timeout: Duration = .seconds(60), settle: Duration? = nil,
        maximumAttempts: Int = 3
    ) {
        self.name = name
        self.effect = effect
        self.approvalReason = approvalReason
        self.risk = risk
        self.definitionDigest = definitionDigest
        self.upstream = upstream
        self.replayOnCrash = replayOnCrash
        self.canReconcile = canReconcile
        self.timeout = timeout
        self.settle = settle ?? timeout
        self.maximumAttempts = maximumAttempts
    }
}

/// A tool that the engine can call.
public protocol EngineTool: Sendable {
    /// What the engine must know of it.
    var facts: ToolFacts { get }

    /// Makes one attempt and says how it ended. Cancellation asks it to stop early.
    ///
    /// It must return by itself within `facts.timeout`, and tell *before*, *after* and *unknown*
    /// apart: an attempt that may have acted is never `before`.
    func call(_ invocation: ToolInvocation) async -> ToolOutcome

    /// Finds out what became of an attempt whose answer was lost.
    func reconcile(_ invocation: ToolInvocation) async -> Reconciliation
}

extension EngineTool {
    /// By default nothing can be found out.
    public func reconcile(_ invocation: ToolInvocation) async -> Reconciliation { .unknown }
}

/// One attempt at a call.
public struct ToolInvocation: Sendable {
    /// The run it belongs to.
    public var runID: RunID
    /// The step of that run, from 0.
    public var step: Int
    /// Which attempt this is, from 1.
    public var attempt: Int
    /// The arguments, exactly as they were journaled, shown and approved.
    public var arguments: JSONObject
    /// The same for each attempt of this call, and for no other call.
    public var idempotencyKey: String
    /// Who submitted the run.
    public var principal: String

    package init(
        runID: RunID, step: Int, attempt: Int, arguments: JSONObject, idempotencyKey: String,
        principal: String
    ) {
        self.runID = runID
        self.step = step
        self.attempt = attempt
        self.arguments = arguments
        self.idempotencyKey = idempotencyKey
        self.principal = principal
    }
}

/// How one attempt ended.
public enum ToolOutcome: Hashable, Sendable {
    /// It ran, and this is its whole result, as journaled and handed on.
    case result(JSONValue, isError: Bool)
    /// Nothing has happened, for certain.
    case before(ToolFailure)
    /// It may or may not have happened.
    case unknown(ToolFailure)
}

/// Why an attempt gave no result.
public struct ToolFailure: Hashable, Sendable {
    /// What was tried, on what, and why it failed; no payloads and no secrets.
    public var message: String
    /// Whether another attempt may fare better.
    public var isRetryable: Bool
    /// How long to wait before it, where the other side said so.
    public var retryAfter: Duration?

    /// A failure of these parts.
    public init(message: String, isRetryable: Bool = false, retryAfter: Duration? = nil) {
        self.message = message
        self.isRetryable = isRetryable
        self.retryAfter = retryAfter
    }
}

/// What could be found out about an attempt whose answer was lost.
public enum Reconciliation: Hashable, Sendable {
    /// It happened, with this whole result.
    case done(JSONValue)
    /// It has not happened.
    case notDone
    /// Nobody can tell.
    case unknown
}

/// Where the engine finds its tools.
public protocol ToolSource: Sendable {
    /// The tool of this name, as it is now.
    func tool(named name: String) async -> ToolLookup

    /// Whether this process has an upstream, configured alike.
    func has(_ upstream: ToolFacts.Upstream) -> Bool
}

/// What a look-up of a tool gave.
public enum ToolLookup: Sendable {
    /// It is here.
    case found(any EngineTool)
    /// There is none of this name; the text says what to do.
    case absent(String)
    /// It exists, but cannot be used here and now; the text says what is missing.
    case unavailable(String)
}
