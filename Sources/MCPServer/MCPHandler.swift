public import MCPProtocol
public import OrderedJSON

/// What stands behind a server: the tools, for whoever is allowed to see them.
///
/// Requests come concurrently, from several eras and transports. Cancellation of the task means
/// that nobody waits for the answer any more: throw `CancellationError` or return, it is not sent.
///
/// An ``MCPProtocol/RPCError`` that is thrown goes to the client as it is; any other error goes
/// out as an internal error without its text, which is logged instead. What a model should read
/// belongs into a ``MCPProtocol/CallToolResult`` with `isError`.
public protocol MCPHandler: Sendable {
    /// Who calls, as the transport's authenticator found out.
    associatedtype Identity: Sendable

    /// One page of the tools that this caller may see, in an order that does not change.
    ///
    /// The cursor is what an earlier page gave as its end; nil asks for the first page, and an
    /// empty string is a cursor like any other. Every page of one list has the same caching
    /// scope. Throw ``MCPProtocol/RPCError/invalidCursor()`` for a cursor that is not your own.
    func listTools(
        cursor: String?, context: RequestContext<Identity>
    ) async throws -> ListToolsResult

    /// Calls a tool, and gives what it gave, be it an error that it reports.
    ///
    /// Throw ``MCPProtocol/RPCError/unknownTool(_:)`` for a tool that this caller has not.
    func callTool(
        name: String, arguments: JSONObject, context: RequestContext<Identity>
    ) async throws -> CallToolResult
}
