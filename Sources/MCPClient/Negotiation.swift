internal import MCPProtocol
internal import OrderedJSON

/// What the answer to `server/discover` says about a server's era.
///
/// Source: 2026-07-28 versioning and stdio, "Backward Compatibility".
enum ProbeVerdict: Sendable {
    /// It is served statelessly, in this revision.
    case modern(ProtocolVersion, DiscoverResult)
    /// It wants `initialize`.
    case legacy
    /// It ended when it was probed: start it again, and do not probe.
    case gone(TransportEnd)
    /// It is modern, and speaks none of our revisions; these are its own.
    case incompatible([String])
    /// It is modern, and refuses us for another reason.
    case refused(RPCError)

    /// Reads the answer to a probe; nil means that none came in time.
    init(_ reply: Reply?) {
        switch reply {
        case .result(let json, _):
            // A legacy server may answer anything; only a real discovery proves an era.
            guard let discovery = try? DiscoverResult(json: json) else {
                self = .legacy
                return
            }
            self = Self.choose(from: discovery.supportedVersions) { .modern($0, discovery) }
        case .error(let error) where error.kind == .unsupportedProtocolVersion:
            guard let supported = error.data?["supported"]?.arrayValue else {
                self = .legacy
                return
            }
            // A modern server has refused the newest modern revision that we speak.
            let versions = supported.compactMap(\.stringValue)
            self = Self.choose(from: versions) { _ in .incompatible(versions) }
        case .error(let error) where error.kind.isModernOnly: self = .refused(error)
        case .lost(let end, _): self = .gone(end)
        case .error, .malformed, .tooLarge, .overloaded, .timedOut, .cancelled, nil:
            self = .legacy
        }
    }

    private static func choose(
        from names: [String], modern: (ProtocolVersion) -> ProbeVerdict
    ) -> ProbeVerdict {
        let known = names.compactMap(ProtocolVersion.init(rawValue:))
        if let version = known.filter(\.isModern).max() { return modern(version) }
        return known.isEmpty ? .incompatible(names) : .legacy
    }
}

/// A connection that is ready for use.
struct UpstreamConnection: Sendable {
    let session: ClientSession
    let description: UpstreamDescription

    /// The parameters of a request, with the metadata that the server's era wants.
    func params(
        _ params: JSONObject = [:], meta more: JSONObject = [:]
    ) -> JSONObject {
        var params = params
        if description.version.isModern {
            let meta = RequestMeta(
                version: description.version, clientInfo: session.configuration.clientInfo,
                capabilities: ClientCapabilities(), adding: more)
            params["_meta"] = .object(meta.json)
        } else if !more.isEmpty {
            params["_meta"] = .object(more)
        }
        return params
    }
}

/// Opens connections and finds out how to speak on them.
struct Negotiator: Sendable {
    let configuration: UpstreamConfiguration
    let time: ClientTime
    let makeTransport: @Sendable () -> any ClientTransport
    let onToolsChanged: @Sendable () -> Void

    /// Starts the server, probes it in place unless it is known to be legacy, and falls back.
    func connect(skippingProbe: Bool) async -> Result<UpstreamConnection, UpstreamError> {
        let session = open()
        if skippingProbe { return await initialize(session, probe: nil) }
        let probe = session.begin(Method.discover, discoverParams)
        let reply = await probe.answer.value(within: configuration.probeTimeout, of: time)
        switch ProbeVerdict(reply) {
        case .modern(let version, let discovery):
            return .success(modern(session, version, discovery))
        case .legacy:
            return await initialize(session, probe: reply == nil ? probe : nil)
        case .gone(let end) where end.neverStarted:
            return .failure(.notStarted(session, end, phase: .start))
        case .gone:
            return await initialize(open(), probe: nil)
        case .incompatible(let versions):
            return await fail(session, .incompatible(session, versions: versions, phase: .probe))
        case .refused(let error):
            return await fail(session, .refused(session, error, phase: .probe))
        }
    }

    private func open() -> ClientSession {
        ClientSession(
            configuration, transport: makeTransport(), time: time, onToolsChanged: onToolsChanged)
    }

    private func modern(
        _ session: ClientSession, _ version: ProtocolVersion, _ discovery: DiscoverResult
    ) -> UpstreamConnection {
        session.becomeModern()
        let connection = UpstreamConnection(
            session: session,
            description: UpstreamDescription(
                version: version, serverInfo: discovery.serverInfo,
                capabilities: discovery.capabilities, instructions: discovery.instructions))
        if discovery.capabilities.announcesToolChanges {
            // Its answer comes when the subscription ends; nobody needs to wait for that.
            _ = session.begin(
                Method.listen,
                connection.params(["notifications": ["toolsListChanged": true]]))
        }
        return connection
    }

    /// Opens a legacy connection.
    ///
    /// `probe` is one that is still unanswered: a slow modern server may answer it after all, and
    /// refuse `initialize`.
    private func initialize(
        _ session: ClientSession, probe: ClientSession.Request?
    ) async -> Result<UpstreamConnection, UpstreamError> {
        let reply = await session.begin(Method.initialize, initializeParams).answer
            .value(within: configuration.startTimeout, of: time)
        if case .result(let json, _) = reply { return await finish(session, json) }
        if let late = probe?.answer.current,
            case .modern(let version, let discovery) = ProbeVerdict(late)
        {
            return .success(modern(session, version, discovery))
        }
        switch reply {
        case .error(let error):
            return await fail(session, .refused(session, error, phase: .start))
        case .lost(let end, _):
            return .failure(.notStarted(session, end, phase: .start))
        case .malformed(let problem):
            return await fail(session, .malformed(session, problem, phase: .start))
        default:
            return await fail(
                session,
                .timedOut(
                    session, waitingFor: "'initialize'", after: configuration.startTimeout,
                    phase: .start))
        }
    }

    private func finish(
        _ session: ClientSession, _ json: JSONObject
    ) async -> Result<UpstreamConnection, UpstreamError> {
        let result: InitializeResult
        do throws(MalformedMessage) {
            result = try InitializeResult(json: json)
        } catch {
            return await fail(session, .malformed(session, error.message, phase: .start))
        }
        guard let version = ProtocolVersion(rawValue: result.protocolVersion), !version.isModern
        else {
            let versions = [result.protocolVersion]
            return await fail(session, .incompatible(session, versions: versions, phase: .start))
        }
        session.notify(Method.initialized)
        return .success(
            UpstreamConnection(
                session: session,
                description: UpstreamDescription(
                    version: version, serverInfo: result.serverInfo,
                    capabilities: result.capabilities, instructions: result.instructions)))
    }

    private func fail(
        _ session: ClientSession, _ error: UpstreamError
    ) async -> Result<UpstreamConnection, UpstreamError> {
        await session.transport.close()
        return .failure(error)
    }

    private var discoverParams: JSONObject {
        let meta = RequestMeta(
            version: .latestModern, clientInfo: configuration.clientInfo,
            capabilities: ClientCapabilities())
        return ["_meta": .object(meta.json)]
    }

    private var initializeParams: JSONObject {
        [
            "protocolVersion": .string(ProtocolVersion.latestLegacy.rawValue),
            "capabilities": [:],
            "clientInfo": .object(configuration.clientInfo.json),
        ]
    }
}
