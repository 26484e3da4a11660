public import MCPProtocol
internal import OrderedJSON

/// The list of tools as it was last read.
struct ToolListCache {
    var list: [ToolDefinition] = []
    var freshUntil = Duration.zero
    /// How often the list had changed when it was asked for.
    var changes = -1
}

extension UpstreamClient {
    /// The tools of the server, in its order, as fresh as it wants them to be.
    ///
    /// A malformed tool is left out, and said so in the log. A list is kept as long as its
    /// `ttlMs` says, and read again after a change was announced or the server was restarted.
    ///
    /// Source: 2026-07-28 caching, pagination.
    public func listTools() async throws(UpstreamError) -> [ToolDefinition] {
        let connection = try await connection()
        if tools.changes == toolChanges, time.now() < tools.freshUntil { return tools.list }
        let changes = toolChanges
        let read = try await readTools(connection)
        tools = ToolListCache(list: read.list, freshUntil: read.freshUntil, changes: changes)
        return read.list
    }

    /// Makes the next ``listTools()`` ask the server.
    func forgetTools() { tools.freshUntil = .zero }

    private func readTools(
        _ connection: UpstreamConnection
    ) async throws(UpstreamError) -> ToolListCache {
        let session = connection.session
        var found = ToolListCache(freshUntil: .seconds(Int64.max / 2))
        var cursor: String?
        for _ in 0..<configuration.maximumPages {
            var params: JSONObject = [:]
            params["cursor"] = cursor.map(JSONValue.string)
            let reply = await session.request(
                Method.listTools, connection.params(params), timeout: configuration.listTimeout)
            let page = try listPage(reply, session)
            found.list += page.tools
            found.freshUntil = min(found.freshUntil, freshUntil(page, connection))
            for problem in page.malformed {
                configuration.log(
                    UpstreamLogLine(
                        upstream: configuration.name, source: .client,
                        text: configuration.scrub("A tool was left out: \(problem.message)")))
            }
            guard found.list.count <= configuration.maximumTools else {
                throw .malformed(
                    session, "it has more than \(configuration.maximumTools) tools.", phase: .list)
            }
            // An empty cursor is a cursor.
            guard let next = page.nextCursor else { return found }
            cursor = next
        }
        throw .malformed(
            session, "its list has more than \(configuration.maximumPages) pages.", phase: .list)
    }

    private func freshUntil(
        _ page: ListToolsResult, _ connection: UpstreamConnection
    ) -> Duration {
        let isModern = connection.description.version.isModern
        return time.now()
            + (isModern ? page.caching.timeToLive : configuration.legacyListLifetime)
    }

    private func listPage(
        _ reply: Reply, _ session: ClientSession
    ) throws(UpstreamError) -> ListToolsResult {
        let what = "'tools/list'"
        switch reply {
        case .result(let json, _):
            do throws(MalformedMessage) {
                return try ListToolsResult(json: json)
            } catch {
                throw .malformed(session, error.message, phase: .list)
            }
        case .error(let error): throw .refused(session, error, phase: .list)
        case .malformed(let problem): throw .malformed(session, problem, phase: .list)
        case .tooLarge(let limit):
            throw .tooLarge(session, what, limitBytes: limit, phase: .list)
        case .lost(let end, _):
            throw .disconnected(session, end, waitingFor: what, phase: .list)
        case .overloaded: throw .overloaded(session, phase: .list)
        case .timedOut:
            throw .timedOut(
                session, waitingFor: what, after: configuration.listTimeout, phase: .list)
        case .cancelled: throw .cancelled(configuration, phase: .list)
        }
    }
}
