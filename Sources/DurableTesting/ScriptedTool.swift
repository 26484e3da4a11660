public import DurableEngine
public import OrderedJSON
internal import Synchronization

/// A tool whose behaviour a test gives, and which counts the bodies that were started.
public final class ScriptedTool: EngineTool {
    /// How one attempt goes.
    public typealias Body = @Sendable (ToolInvocation) async -> ToolOutcome
    /// How a look-up of a lost attempt goes.
    public typealias Lookup = @Sendable (ToolInvocation) async -> Reconciliation

    private let currentFacts: Mutex<ToolFacts>
    private let body: Body
    private let lookup: Lookup
    private let started = Mutex<[ToolInvocation]>([])

    /// A tool of these parts; without a body it succeeds with a short text.
    public init(
        _ facts: ToolFacts,
        body: @escaping Body = { _ in .result(ScriptedTool.text("done"), isError: false) },
        lookup: @escaping Lookup = { _ in .unknown }
    ) {
        currentFacts = Mutex(facts)
        self.body = body
        self.lookup = lookup
    }

    /// What the engine must know of it; a test may change it.
    public var facts: ToolFacts {
        get { currentFacts.withLock { $0 } }
        set { currentFacts.withLock { $0 = newValue } }
    }

    /// The attempts whose bodies were started, in order.
    public var invocations: [ToolInvocation] { started.withLock { $0 } }

    /// Runs the given body.
    public func call(_ invocation: ToolInvocation) async -> ToolOutcome {
        started.withLock { $0.append(invocation) }
        return await body(invocation)
    }

    /// What the body gives for an invocation, without counting it; for bodies that only look.
    public func outcome(of invocation: ToolInvocation) async -> ToolOutcome {
        await body(invocation)
    }

    /// Runs the given look-up.
    public func reconcile(_ invocation: ToolInvocation) async -> Reconciliation {
        await lookup(invocation)
    }

    /// A tool result with one text.
    public static func text(_ text: String) -> JSONValue {
        ["content": [["type": "text", "text": .string(text)]]]
    }
}

/// The tools of a test.
public final class ScriptedTools: ToolSource {
    private let tools: Mutex<[String: ScriptedTool]>
    private let upstreams: Set<String>

    /// These tools, in a process that has the upstreams of these names.
    public init(_ tools: [ScriptedTool], upstreams: Set<String> = []) {
        self.tools = Mutex(
            Dictionary(tools.map { ($0.facts.name, $0) }, uniquingKeysWith: { $1 }))
        self.upstreams = upstreams
    }

    /// The tool of this name, unless it lives on an upstream that is not here.
    public func tool(named name: String) async -> ToolLookup {
        guard let tool = tools.withLock({ $0[name] }) else {
            return .absent("There is no tool '\(name)'.")
        }
        if let upstream = tool.facts.upstream, !has(upstream) {
            return .unavailable("The upstream '\(upstream.name)' is not configured here.")
        }
        return .found(tool)
    }

    /// Whether the upstream was named when this was made.
    public func has(_ upstream: ToolFacts.Upstream) -> Bool { upstreams.contains(upstream.name) }
}
