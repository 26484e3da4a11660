internal import DurableEngine
internal import JSONSchema
internal import MCPProtocol
internal import OrderedJSON
internal import Synchronization

/// A pinned tool together with what the configuration here makes of it.
final class CatalogueItem: Sendable {
    private enum Compiled {
        case not
        case done(Schema)
        case impossible
    }

    let entry: CatalogueEntry
    /// The tool as our clients see it.
    let shown: ToolDefinition
    /// The tool as the engine sees it.
    let facts: ToolFacts
    /// Whether the configuration here lets it be used.
    let isAllowed: Bool
    private let log: @Sendable (String) -> Void
    private let schema = Mutex(Compiled.not)

    init(
        _ entry: CatalogueEntry, of upstream: Upstream, log: @escaping @Sendable (String) -> Void
    ) {
        self.entry = entry
        self.log = log
        let definition = entry.pinned.definition
        let toolPolicy = upstream.config.policy
        let override = toolPolicy.override(for: entry.tool)
        let hasHints = definition.json["annotations"] != nil
        let policy = EffectPolicy(
            annotations: hasHints ? definition.annotations : nil,
            trust: toolPolicy.trustAnnotations, override: override)
        isAllowed = toolPolicy.allows(entry.tool)
        facts = ToolFacts(
            name: entry.name, effect: policy.effect, approvalReason: policy.approvalReason,
            risk: policy.risk, definitionDigest: entry.pinned.digest,
            upstream: upstream.identity, replayOnCrash: policy.replayOnCrash,
            timeout: policy.timeout, settle: policy.settle)
        shown = ShownDefinition(entry, effect: override.effect).definition
    }

    /// Whether it can be called and is listed.
    var isUsable: Bool { isAllowed && !entry.isGone && !entry.isWithheld }

    /// What is wrong with arguments, for a model to mend; nil where nothing is.
    ///
    /// A schema that cannot be compiled is no reason to refuse: the server checks for itself.
    func problem(with arguments: JSONObject) -> String? {
        guard let schema = compiledSchema() else { return nil }
        return Arguments.problem(arguments, of: entry.name, by: schema)
    }

    private func compiledSchema() -> Schema? {
        let known = schema.withLock { $0 }
        switch known {
        case .done(let schema): return schema
        case .impossible: return nil
        case .not: break
        }
        do throws(SchemaError) {
            let compiled = try Schema(
                compiling: .object(entry.pinned.definition.inputSchema))
            schema.withLock { $0 = .done(compiled) }
            return compiled
        } catch {
            schema.withLock { $0 = .impossible }
            log(
                "The arguments of '\(entry.name)' are not checked here, since its schema cannot "
                    + "be used: \(error)")
            return nil
        }
    }
}

/// Says what is wrong with a tool's arguments.
enum Arguments {
    private static let shownProblems = 5

    /// Every problem, naming the argument; nil where there is none.
    static func problem(
        _ arguments: JSONObject, of tool: String, by schema: Schema
    ) -> String? {
        let violations = schema.validate(.object(arguments), named: "arguments")
        guard !violations.isEmpty else { return nil }
        let lines = violations.prefix(shownProblems).map { "- \($0.message)" }
        return """
            The arguments of '\(tool)' do not fit its inputSchema, and nothing was done:
            \(lines.joined(separator: "\n"))
            Mend them and call it again.
            """
    }
}
