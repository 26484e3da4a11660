public import DurableEngine
internal import OrderedJSON

/// What an operator says of a server's tools, beyond what the server says itself.
public struct ToolPolicy: Hashable, Sendable {
    /// The tools that may be used, or nil for all.
    public var allow: [WildcardPattern]?
    /// Whether the server's hints are believed.
    public var trustAnnotations = false
    /// What is said of single tools, in the order of the file.
    public var rules: [Rule] = []

    /// What is said of the tools that fit a pattern.
    public struct Rule: Hashable, Sendable {
        /// Which tools.
        public var pattern: WildcardPattern
        /// What is said of them.
        public var override: ToolOverride

        /// A rule of these parts.
        public init(pattern: WildcardPattern, override: ToolOverride) {
            self.pattern = pattern
            self.override = override
        }
    }

    /// Allows every tool, believes no hint and overrides nothing.
    public init() {}

    /// Whether a tool may be used at all.
    public func allows(_ tool: String) -> Bool {
        allow?.contains { $0.matches(tool) } ?? true
    }

    /// What is said of one tool.
    ///
    /// Every pattern that matches has its say, a later one over an earlier one, and the tool's own
    /// name over all of them.
    public func override(for tool: String) -> ToolOverride {
        var result = ToolOverride()
        for rule in rules where !rule.pattern.isExact && rule.pattern.matches(tool) {
            result.merge(rule.override)
        }
        for rule in rules where rule.pattern.isExact && rule.pattern.matches(tool) {
            result.merge(rule.override)
        }
        return result
    }
}

/// What an operator says of a tool; nil says nothing.
public struct ToolOverride: Hashable, Sendable {
    /// What may be done with a call after a crash.
    public var effect: EffectKind?
    /// Whether a person must approve each call.
    public var approval: Bool?
    /// How much harm a call could do.
    public var risk: Risk?
    /// Whether recovery may repeat an unknown external call, with its key.
    public var replayOnCrash: Bool?
    /// How long one attempt may take.
    public var timeout: Duration?
    /// How long after its intent an old attempt may still act.
    public var settle: Duration?

    /// Says nothing.
    public init() {}

    /// Lets `other` have its say over this.
    mutating func merge(_ other: ToolOverride) {
        effect = other.effect ?? effect
        approval = other.approval ?? approval
        risk = other.risk ?? risk
        replayOnCrash = other.replayOnCrash ?? replayOnCrash
        timeout = other.timeout ?? timeout
        settle = other.settle ?? settle
    }
}

extension ConfigReader {
    private static let laterKeys = [
        "concurrency", "ratePerMinute", "maxResultBytes", "idempotencyArgument",
        "idempotencyHeader", "reconcile", "compensate",
    ]

    mutating func toolPolicy(_ node: Node) -> ToolPolicy {
        var policy = ToolPolicy()
        guard object(node, known: ["allow", "trustAnnotations", "tools"]) != nil else {
            return policy
        }
        policy.allow = strings(node, "allow").map { $0.map { WildcardPattern($0) } }
        policy.trustAnnotations = boolean(node, "trustAnnotations") ?? false
        if let tools = node.member("tools"), let members = anyObject(tools) {
            policy.rules = members.members.map { member in
                let override = toolOverride(
                    Node(value: member.value, path: tools.path + [member.key]))
                return ToolPolicy.Rule(
                    pattern: WildcardPattern(member.key), override: override)
            }
        }
        return policy
    }

    private mutating func toolOverride(_ node: Node) -> ToolOverride {
        var override = ToolOverride()
        let effectName = node.value["effect"]?.stringValue
        // `retry` will be known; on an external effect it never will be.
        if node.value["retry"] != nil, effectName == EffectKind.external.rawValue {
            error(
                node.path + ["retry"],
                "An external effect is never retried by itself: it might happen twice. Leave "
                    + "'retry' out, or say 'replayOnCrash' if twice does no harm.")
        }
        let known = [
            "effect", "approval", "risk", "replayOnCrash", "timeoutSeconds", "settleSeconds",
        ]
        let isRefusedAlready = effectName == EffectKind.external.rawValue
        guard
            object(
                node, known: known + (isRefusedAlready ? ["retry"] : []),
                later: Self.laterKeys + (isRefusedAlready ? [] : ["retry"])) != nil
        else { return override }
        if effectName == "transactional" {
            error(
                node.path + ["effect"],
                "A remote tool cannot be 'transactional': its effect and our log are not "
                    + "committed together. Say 'idempotent' if it honours the idempotency key, "
                    + "else 'external'.")
        } else {
            override.effect = choice(node, "effect", of: EffectKind.self)
        }
        override.approval = boolean(node, "approval")
        override.risk = choice(node, "risk", of: Risk.self)
        override.replayOnCrash = boolean(node, "replayOnCrash")
        if override.replayOnCrash == true, let effect = override.effect, effect != .external {
            warning(
                node.path + ["replayOnCrash"],
                "This has no effect: a tool that is '\(effect.rawValue)' is repeated anyway.")
        }
        override.timeout = seconds(node, "timeoutSeconds", in: 0.001...86_400)
        override.settle = seconds(node, "settleSeconds", in: 0...86_400)
        return override
    }
}
