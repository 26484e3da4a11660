import DurableEngine
import DurableMCP
import MCPProtocol
import Testing

@Suite("Effect policy")
struct EffectPolicyTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var readOnly: Bool?
        var idempotent: Bool?
        var destructive: Bool?
        var trust: Bool
        var effect: EffectKind
        var asks: Bool
        var risk = Risk.standard

        var testDescription: String {
            let hints = [
                ("readOnly", readOnly), ("idempotent", idempotent), ("destructive", destructive),
            ]
            let set = hints.compactMap { name, value in value.map { "\(name): \($0)" } }
            return "\(set.joined(separator: ", ")), trust: \(trust)"
        }
    }

    static let rows: [Row] = [
        Row(readOnly: true, trust: true, effect: .pure, asks: false),
        Row(readOnly: true, trust: false, effect: .external, asks: false),
        Row(readOnly: true, idempotent: true, trust: true, effect: .pure, asks: false),
        Row(readOnly: true, destructive: true, trust: true, effect: .pure, asks: false),

        Row(idempotent: true, trust: true, effect: .idempotent, asks: false),
        Row(idempotent: true, trust: false, effect: .external, asks: true),
        Row(
            readOnly: false, idempotent: true, destructive: false, trust: true,
            effect: .idempotent, asks: false),

        Row(destructive: true, trust: true, effect: .external, asks: true, risk: .high),
        Row(destructive: true, trust: false, effect: .external, asks: true, risk: .high),

        Row(trust: true, effect: .external, asks: true),
        Row(trust: false, effect: .external, asks: true),
        Row(
            readOnly: false, idempotent: false, destructive: false, trust: true,
            effect: .external, asks: true),
        Row(
            readOnly: false, idempotent: false, destructive: false, trust: false,
            effect: .external, asks: true),

        // Both words are taken: repeating is safe, and a person is asked first.
        Row(
            idempotent: true, destructive: true, trust: true, effect: .idempotent, asks: true,
            risk: .high),
        Row(
            idempotent: true, destructive: true, trust: false, effect: .external, asks: true,
            risk: .high),
    ]

    @Test("hints and trust decide as the table says", arguments: rows)
    func table(row: Row) {
        let annotations = ToolAnnotations(
            readOnly: row.readOnly, destructive: row.destructive, idempotent: row.idempotent)
        let policy = EffectPolicy(
            annotations: annotations, trust: row.trust, override: ToolOverride())
        #expect(policy.effect == row.effect)
        #expect(policy.needsApproval == row.asks)
        #expect(policy.risk == row.risk)
        #expect(!policy.replayOnCrash)
    }

    @Test("without annotations a tool is external and asks", arguments: [true, false])
    func bare(trust: Bool) {
        let policy = EffectPolicy(annotations: nil, trust: trust, override: ToolOverride())
        #expect(policy.effect == .external)
        #expect(policy.needsApproval)
        #expect(policy.risk == .standard)
        #expect(policy.timeout == EffectPolicy.standardTimeout)
        #expect(policy.settle == policy.timeout)
    }

    @Test("every override wins over every row", arguments: rows)
    func overrides(row: Row) {
        let annotations = ToolAnnotations(
            readOnly: row.readOnly, destructive: row.destructive, idempotent: row.idempotent)
        for effect in EffectKind.allCases {
            for approval in [true, false] {
                for risk in Risk.allCases {
                    var override = ToolOverride()
                    override.effect = effect
                    override.approval = approval
                    override.risk = risk
                    let policy = EffectPolicy(
                        annotations: annotations, trust: row.trust, override: override)
                    #expect(policy.effect == effect)
                    #expect(policy.needsApproval == approval)
                    #expect(policy.risk == risk)
                }
            }
        }
    }

    @Test("an overridden effect brings its own answer about approval")
    func overriddenEffect() {
        func asks(_ effect: EffectKind, destructive: Bool? = nil, readOnly: Bool? = nil) -> Bool {
            var override = ToolOverride()
            override.effect = effect
            return EffectPolicy(
                annotations: ToolAnnotations(readOnly: readOnly, destructive: destructive),
                trust: false, override: override
            ).needsApproval
        }
        #expect(!asks(.pure))
        #expect(!asks(.pure, destructive: true))
        #expect(!asks(.idempotent))
        #expect(asks(.idempotent, destructive: true))
        #expect(asks(.external))
        #expect(asks(.external, readOnly: true))
    }

    @Test("times and replay come from the override, settling from the time-out")
    func times() {
        var override = ToolOverride()
        override.timeout = .seconds(5)
        override.replayOnCrash = true
        var policy = EffectPolicy(annotations: nil, trust: false, override: override)
        #expect(policy.timeout == .seconds(5))
        #expect(policy.settle == .seconds(5))
        #expect(policy.replayOnCrash)
        override.settle = .zero
        policy = EffectPolicy(annotations: nil, trust: false, override: override)
        #expect(policy.settle == .zero)
    }
}
