public import OrderedJSON

/// One run, as its events tell it.
public struct RunState: Hashable, Sendable {
    /// What it was submitted with.
    public let submission: RunSubmitted
    /// When it was submitted, in milliseconds since 1970.
    public let submittedAt: Int64
    /// When its last event happened.
    public internal(set) var updatedAt: Int64
    /// Whether its turn has come.
    public internal(set) var isStarted = false
    /// Who wants it to end.
    public internal(set) var cancelRequestedBy: String?
    /// Why it was put aside.
    public internal(set) var parkedReason: String?
    /// How often it was taken over from a dead process without progress since.
    public internal(set) var crashes = 0
    /// The steps decided so far, in order.
    public internal(set) var steps: [StepState] = []
    /// How it ended.
    public internal(set) var ending: RunEnded?

    init(_ submission: RunSubmitted, at time: Int64) {
        self.submission = submission
        submittedAt = time
        updatedAt = time
    }

    /// Its id.
    public var id: RunID { submission.runID }

    /// Where it stands.
    public var status: RunStatus {
        if let ending { return ending.status }
        if parkedReason != nil { return .parked }
        if cancelRequestedBy != nil { return .cancelling }
        if !isStarted { return .queued }
        switch steps.last?.phase {
        case .awaiting: return .waiting
        default: return .running
        }
    }

    /// The approval that its current step waits for.
    public var pendingApproval: ApprovalID? {
        guard ending == nil, case .awaiting(let id, _) = steps.last?.phase else { return nil }
        return id
    }
}

/// One step, as its events tell it.
public struct StepState: Hashable, Sendable {
    /// How far a step has come.
    public enum Phase: Hashable, Sendable {
        /// It is decided; whether a person must be asked first is not.
        case planned
        /// It may start.
        case ready
        /// A person is asked; an unknown call keeps what is known of its last attempt.
        case awaiting(ApprovalID, unknown: Attempt?)
        /// An attempt is under way, or was when its process ended.
        case running(Attempt)
        /// The next attempt is safe from this time on.
        case retrying(next: Int, at: Int64, reason: String)
        /// It may or may not have happened.
        case unknown(Attempt, reason: String)
        /// It is settled.
        case done(Outcome, output: JSONValue?, error: String?)
    }

    /// One attempt at a call.
    public struct Attempt: Hashable, Sendable {
        /// From 1.
        public var number: Int
        /// When it started, in milliseconds since 1970.
        public var startedAt: Int64
    }

    /// How a settled step ended.
    public enum Outcome: String, Hashable, Sendable {
        /// It did what it was to do.
        case succeeded
        /// It did not.
        case failed
        /// A person said no.
        case denied
    }

    /// The script's key, such as `tool`.
    public var kind: String
    /// Its text, for the kinds that have one.
    public var text: String?
    /// Its call, for a tool step.
    public var call: PlannedCall?
    /// How far it has come.
    public var phase: Phase

    /// The whole result, where it is settled and has one.
    public var output: JSONValue? {
        if case .done(_, let output, _) = phase { output } else { nil }
    }
}

/// One approval, as its events tell it.
public struct ApprovalState: Hashable, Sendable {
    /// What was asked.
    public let request: ApprovalRequested
    /// When, in milliseconds since 1970.
    public let requestedAt: Int64
    /// Whom it is addressed to; anybody with the role where nil.
    public internal(set) var audience: String?
    /// Whether it may still expire: it does so once.
    public internal(set) var expiresAt: Int64?
    /// The answer, once there is one.
    public internal(set) var resolution: ApprovalResolved?
    /// Whether it expired without an answer.
    public internal(set) var isExpired = false

    /// Whether somebody may still answer.
    public var isPending: Bool { resolution == nil && !isExpired }

    /// Its state in one word.
    public var status: String {
        resolution?.decision.rawValue ?? (isExpired ? "expired" : "pending")
    }
}
