internal import DurableEngine
internal import MCPClient
internal import MCPProtocol
internal import OrderedJSON

/// A tool of a server behind us, for the engine to call.
struct UpstreamTool: EngineTool {
    /// The most bytes of a result that the log takes, with room for what is put around it.
    static let resultBytesLimit = 12 << 20

    let item: CatalogueItem
    let upstream: Upstream
    let catalogue: Catalogue

    var facts: ToolFacts { item.facts }

    func call(_ invocation: ToolInvocation) async -> ToolOutcome {
        if let problem = item.problem(with: invocation.arguments) {
            return .before(ToolFailure(message: problem))
        }
        let outcome: UpstreamCallOutcome
        do throws(UpstreamFailure) {
            try await catalogue.checkIsCurrent(item, of: upstream)
            outcome = try await upstream.call(
                UpstreamCall(
                    tool: item.entry.tool, arguments: invocation.arguments,
                    meta: [MetaKey.idempotencyKey: .string(invocation.idempotencyKey)],
                    timeout: facts.timeout, maximumResultBytes: Self.resultBytesLimit))
        } catch {
            return .before(error.toolFailure)
        }
        switch outcome {
        case .result(let result):
            let result = await upstream.scrub(result)
            return .result(.object(result.json), isError: result.isError)
        case .before(let error): return .before(UpstreamFailure(error).toolFailure)
        case .unknown(let error) where error.code == .tooLarge:
            // It has answered, so it has run: asking a person whether it did would be wrong.
            let text = """
                \(error.message) The tool has run, and its answer was dropped. Do not call it \
                again if it acts on the world.
                """
            return .result(.object(CallToolResult(text: text, isError: true).json), isError: true)
        case .unknown(let error): return .unknown(UpstreamFailure(error).toolFailure)
        }
    }
}
