public import DurableEngine
public import MCPProtocol

/// What is decided about a remote tool, from its server's hints and its operator's word.
public struct EffectPolicy: Hashable, Sendable {
    /// The time-out of a tool of which nothing else is said.
    public static let standardTimeout = Duration.seconds(60)

    /// What may be done with a call after a crash.
    public var effect: EffectKind
    /// Why a person must approve each call, or nil where none must.
    public var approvalReason: String?
    /// How much harm a call could do.
    public var risk: Risk
    /// Whether recovery may repeat an unknown external call, with its key.
    public var replayOnCrash: Bool
    /// How long one attempt may take.
    public var timeout: Duration
    /// How long after its intent an old attempt may still act.
    public var settle: Duration

    /// Whether a person must approve each call.
    public var needsApproval: Bool { approvalReason != nil }

    /// Decides.
    ///
    /// Hints are claims: without trust they can only make us more careful. An operator's `effect`
    /// is a statement about the tool, so what it implies about approval replaces what the hints
    /// imply, except that a tool which says it may destroy still asks unless it is `pure`.
    ///
    /// - Parameters:
    ///   - annotations: What the server says of the tool, or nil where it says nothing.
    ///   - trust: Whether that is believed.
    ///   - override: What the operator says of it.
    public init(annotations: ToolAnnotations?, trust: Bool, override: ToolOverride) {
        let hints = Hints(annotations)
        effect = override.effect ?? (trust ? hints.trustedEffect : .external)
        risk = override.risk ?? (hints.mayDestroy ? .high : .standard)
        replayOnCrash = override.replayOnCrash ?? false
        timeout = override.timeout ?? Self.standardTimeout
        settle = override.settle ?? timeout
        approvalReason = Self.reason(hints: hints, trust: trust, override: override)
    }

    private static func reason(
        hints: Hints, trust: Bool, override: ToolOverride
    ) -> String? {
        switch override.approval {
        case true: return "the configuration asks for an approval of each call"
        case false: return nil
        case nil: break
        }
        if override.effect == .pure { return nil }
        if hints.mayDestroy { return "its server says that it may destroy" }
        switch (override.effect, hints.kind) {
        case (.external, _):
            return "the configuration says that it acts on the world"
        case (.idempotent, _), (nil, .readOnly):
            return nil
        case (nil, .idempotent):
            return trust
                ? nil : "its server says that repeating it is safe, and is not trusted to know"
        case (nil, .none), (.pure, _):
            return "it may act on the world, and its server does not say otherwise"
        }
    }

    /// The rows of the table in `docs/effects.md`.
    private struct Hints {
        enum Kind { case readOnly, idempotent, none }

        let kind: Kind
        /// A server that says both `idempotentHint` and `destructiveHint` is taken at both words.
        let mayDestroy: Bool

        init(_ annotations: ToolAnnotations?) {
            if annotations?.readOnly == true {
                kind = .readOnly
            } else if annotations?.idempotent == true {
                kind = .idempotent
            } else {
                kind = .none
            }
            // The protocol gives `destructiveHint` a meaning only for what is not read-only, and
            // its absence says nothing: only a server's own word makes a risk high.
            mayDestroy = kind != .readOnly && annotations?.destructive == true
        }

        var trustedEffect: EffectKind {
            switch kind {
            case .readOnly: .pure
            case .idempotent: .idempotent
            case .none: .external
            }
        }
    }
}
