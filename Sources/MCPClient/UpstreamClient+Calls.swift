internal import MCPProtocol
internal import OrderedJSON

extension UpstreamClient {
    /// Calls a tool and says what is known about it afterwards; it never throws.
    ///
    /// When the calling task is cancelled, or `call.timeout` has passed, the server is told.
    /// `docs/effects.md` says which case means what.
    public func callTool(_ call: UpstreamCall) async -> UpstreamCallOutcome {
        let connection: UpstreamConnection
        do throws(UpstreamError) {
            connection = try await self.connection()
        } catch {
            return .before(error)
        }
        var params: JSONObject = ["name": .string(call.tool)]
        params["arguments"] = call.arguments.map(JSONValue.object)
        let reply = await connection.session.request(
            Method.callTool, connection.params(params, meta: call.meta), name: call.tool,
            timeout: call.timeout, onProgress: call.onProgress)
        let outcome = UpstreamCallOutcome(reply, to: call, session: connection.session)
        if case .before(let error) = outcome, error.rpcError != nil {
            // The tool may be gone, or have other parameters than we know.
            forgetTools()
        }
        return outcome
    }
}

extension UpstreamCallOutcome {
    /// Whether a JSON-RPC error of this kind is sent before a tool runs.
    static func precedesExecution(_ kind: RPCError.Kind) -> Bool {
        switch kind {
        case .parseError, .invalidRequest, .methodNotFound, .invalidParams, .headerMismatch,
            .missingRequiredClientCapability, .unsupportedProtocolVersion:
            true
        default: false
        }
    }

    /// What the answer to a call, or its absence, says about the call.
    init(_ reply: Reply, to call: UpstreamCall, session: ClientSession) {
        let what = "the call of '\(call.tool)'"
        switch reply {
        case .result(let json, let bytes):
            if let limit = call.maximumResultBytes, bytes > limit {
                self = .unknown(.tooLarge(session, what, limitBytes: limit, phase: .call))
            } else {
                self = Self.read(json, session)
            }
        case .error(let error):
            let refusal = UpstreamError.refused(session, error, phase: .call)
            self = Self.precedesExecution(error.kind) ? .before(refusal) : .unknown(refusal)
        case .malformed(let problem): self = .unknown(.malformed(session, problem, phase: .call))
        case .tooLarge(let limit):
            self = .unknown(.tooLarge(session, what, limitBytes: limit, phase: .call))
        case .overloaded: self = .before(.overloaded(session, phase: .call))
        case .lost(let end, let wasSent):
            let error = UpstreamError.disconnected(session, end, waitingFor: what, phase: .call)
            self = wasSent ? .unknown(error) : .before(error)
        case .timedOut(let wasSent):
            let error = UpstreamError.timedOut(
                session, waitingFor: what, after: call.timeout, phase: .call)
            self = wasSent ? .unknown(error) : .before(error)
        case .cancelled(let wasSent):
            let error = UpstreamError.cancelled(session.configuration, phase: .call)
            self = wasSent ? .unknown(error) : .before(error)
        }
    }

    /// Reads a result by its type first: a task, or a question, is no empty success.
    private static func read(_ json: JSONObject, _ session: ClientSession) -> Self {
        switch json["resultType"] {
        case nil, .string(ResultType.complete): break
        case .string(ResultType.inputRequired):
            return .unknown(
                .unsupported(
                    session, "It asks for more input, which is not supported here yet.",
                    phase: .call))
        case .string(let type):
            return .unknown(
                .unsupported(
                    session,
                    "Its result is of the type '\(type.prefix(100))', which is not supported here.",
                    phase: .call))
        default:
            return .unknown(.malformed(session, "'resultType' is no string.", phase: .call))
        }
        guard json["content"] != nil || json["structuredContent"] != nil else {
            return .unknown(
                .malformed(session, "its result holds neither content nor a type.", phase: .call))
        }
        do throws(MalformedMessage) {
            return .result(try CallToolResult(json: json).scrubbed(by: session.configuration.scrub))
        } catch {
            return .unknown(.malformed(session, error.message, phase: .call))
        }
    }
}
