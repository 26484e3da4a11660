public import DurableSecurity
public import OrderedJSON

/// What has happened in a conversation.
public enum EngineEvent: Hashable, Sendable {
    /// A run was accepted.
    case runSubmitted(RunSubmitted)
    /// A run's turn has come.
    case runStarted(RunID)
    /// A run was taken over from a process that died; the n-th time without progress.
    case runRecovered(RunID, crashes: Int)
    /// A run was put aside, since it seems to end every process that takes it up.
    case runParked(RunID, reason: String)
    /// Somebody wants a run to end.
    case runCancelRequested(RunID, by: String)
    /// A run has ended; nothing of it happens any more.
    case runEnded(RunEnded)
    /// A step's text was added for the reader.
    case messageAdded(RunID, step: Int, role: String, text: String)
    /// A run knows what its next step does.
    case stepDecided(StepDecided)
    /// A person is asked.
    case approvalRequested(ApprovalRequested)
    /// A person has answered.
    case approvalResolved(ApprovalResolved)
    /// Nobody has answered in time; another audience is asked, or nobody.
    case approvalExpired(RunID, ApprovalID, escalatedTo: String?)
    /// A call's first attempt is about to start.
    case effectIntent(EffectIntent)
    /// A further attempt is about to start.
    case effectAttempt(RunID, step: Int, attempt: Int)
    /// An attempt gave no result, and another is safe from this time on.
    case effectRetry(RunID, step: Int, attempt: Int, reason: String, at: Int64)
    /// A call is settled.
    case effectResult(EffectResult)
    /// A call may or may not have happened.
    case effectUnknown(RunID, step: Int, attempt: Int, reason: String)
}

/// A run was accepted.
public struct RunSubmitted: Hashable, Sendable {
    /// Its id.
    public var runID: RunID
    /// Who submitted it.
    public var principal: String
    /// The id that makes a retry find it.
    public var requestID: String?
    /// A keyed digest of what was asked, which a retry must share.
    public var payloadHash: String
    /// What it is to do.
    public var work: Work
    /// The remote servers it is pinned to.
    public var upstreams: [ToolFacts.Upstream]
}

/// What a run is to do.
public enum Work: Hashable, Sendable {
    /// A script, step by step.
    case script(Script)
    /// One tool call.
    case call(tool: String, arguments: JSONObject)
}

/// A run has ended.
public struct RunEnded: Hashable, Sendable {
    /// Its id.
    public var runID: RunID
    /// How: `completed`, `failed` or `cancelled`.
    public var status: RunStatus
    /// What it has to say, where it completed.
    public var finalText: String?
    /// What went wrong, where it failed.
    public var error: String?
}

/// A run knows what its next step does.
public struct StepDecided: Hashable, Sendable {
    /// The run.
    public var runID: RunID
    /// The step, from 0.
    public var step: Int
    /// The script's key, such as `tool`.
    public var kind: String
    /// The call, where it is one.
    public var call: PlannedCall?
}

/// A tool call as it was rendered once, and as it is shown, digested, approved and sent.
public struct PlannedCall: Hashable, Sendable {
    /// The tool's name.
    public var tool: String
    /// The arguments, with all templates filled in.
    public var arguments: JSONObject
    /// A keyed digest of their canonical form.
    public var argumentsDigest: String
    /// The same for each attempt, and for no other call.
    public var key: String
    /// The label that the caller gave it.
    public var callID: String?
    /// What may be done after a crash.
    public var effect: EffectKind
    /// How much harm it could do.
    public var risk: Risk
    /// The digest of the tool's definition when this was planned.
    public var definitionDigest: String
    /// Where the tool lives.
    public var upstream: String?
    /// Whether recovery may repeat it though its outcome is unknown.
    public var replayOnCrash: Bool
    /// Whether its outcome can be found out.
    public var canReconcile: Bool
    /// How long after its intent an old attempt may still act, in milliseconds.
    public var settleMilliseconds: Int64
    /// How often an attempt that is safe to repeat is made.
    public var maximumAttempts: Int
}

/// A person is asked.
public struct ApprovalRequested: Hashable, Sendable {
    /// Why a person is asked.
    public enum Purpose: String, CaseIterable, Hashable, Sendable {
        /// Whether a call may start.
        case gate
        /// A script's own question.
        case step
        /// What became of a call whose outcome is unknown.
        case reconcile
    }

    /// Its id.
    public var approvalID: ApprovalID
    /// The run that waits.
    public var runID: RunID
    /// The step that waits.
    public var step: Int
    /// Why a person is asked.
    public var purpose: Purpose
    /// How much harm a wrong answer could do.
    public var risk: Risk
    /// The level an approver needs.
    public var requiredAuthLevel: AuthLevel
    /// What to tell the person.
    public var reason: String
    /// The digest of the arguments that the answer is for.
    public var argumentsDigest: String
    /// When it is too late, in milliseconds since 1970.
    public var expiresAt: Int64?
    /// The audience that is asked once it has expired.
    public var escalateTo: String?
}

/// A person has answered.
public struct ApprovalResolved: Hashable, Sendable {
    /// The answer.
    public enum Decision: String, CaseIterable, Hashable, Sendable {
        /// Yes; for a reconciliation: it happened.
        case approved
        /// No; for a reconciliation: it has not happened.
        case rejected
        /// The run was cancelled before anybody answered.
        case withdrawn
    }

    /// The approval.
    public var approvalID: ApprovalID
    /// The run that waited.
    public var runID: RunID
    /// The answer.
    public var decision: Decision
    /// Who answered.
    public var approver: String
    /// How surely the approver was known.
    public var level: AuthLevel
    /// What the approver had to say.
    public var reason: String?
    /// What the call gave, where a person resolved an unknown one.
    public var output: JSONValue?
    /// The digest of the arguments the answer is for.
    public var argumentsDigest: String
}

/// A call's first attempt is about to start.
public struct EffectIntent: Hashable, Sendable {
    /// The run.
    public var runID: RunID
    /// The step, from 0.
    public var step: Int
    /// The tool's name.
    public var tool: String
    /// What may be done after a crash.
    public var effect: EffectKind
    /// The call's idempotency key.
    public var key: String
    /// The digest of its arguments.
    public var argumentsDigest: String
}

/// A call is settled.
public struct EffectResult: Hashable, Sendable {
    /// How a settled call ended.
    public enum Outcome: String, CaseIterable, Hashable, Sendable {
        /// It did what it was to do.
        case succeeded
        /// It did not: an error result, or it never started.
        case failed
    }

    /// Who said how it ended.
    public enum Origin: String, CaseIterable, Hashable, Sendable {
        /// The call's own answer.
        case call
        /// A look-up of what became of it.
        case reconcile
        /// A person.
        case person
    }

    /// The run.
    public var runID: RunID
    /// The step, from 0.
    public var step: Int
    /// The attempt that it is the end of, from 1.
    public var attempt: Int
    /// How it ended.
    public var outcome: Outcome
    /// Who said so.
    public var origin: Origin
    /// The whole tool result, where there is one.
    public var output: JSONValue?
    /// What went wrong, where there is no result.
    public var error: String?
}

/// Where a run stands.
public enum RunStatus: String, CaseIterable, Hashable, Sendable {
    /// Its turn has not come.
    case queued
    /// It goes on.
    case running
    /// A person, or something else outside, must act first.
    case waiting
    /// It is to end, and something under way must settle first.
    case cancelling
    /// What it did is being undone.
    case compensating
    /// It did all it was to do.
    case completed
    /// It could not go on.
    case failed
    /// Somebody ended it.
    case cancelled
    /// It was put aside.
    case parked

    /// Whether nothing happens any more.
    public var isEnded: Bool {
        switch self {
        case .completed, .failed, .cancelled: true
        case .queued, .running, .waiting, .cancelling, .compensating, .parked: false
        }
    }
}
