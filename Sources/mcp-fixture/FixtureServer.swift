internal import LinuxPlatform
internal import MCPProtocol
internal import OrderedJSON
internal import Synchronization

/// Reads requests from standard input and answers them on standard output until the input ends.
final class FixtureServer: Sendable {
    private struct State {
        var isInitialized = false
        var cancelled: Set<RequestID> = []
    }

    private let options: Options
    private let runner: ToolRunner
    private let state = Mutex(State())
    /// Held while a line is written, so that lines of several threads do not mix.
    private let output = Mutex(())

    init(options: Options, ledger: Ledger?) {
        self.options = options
        runner = ToolRunner(ledger: ledger)
    }

    func run() {
        while let line = readLine() {
            do {
                switch try JSONRPCMessage(json: JSONValue(parsing: line)) {
                case .request(let request): take(request)
                case .notification(let notification): take(notification)
                case .result, .error: break
                }
            } catch {
                write(.error(id: nil, error: .parseError("\(error)")))
            }
        }
    }

    private func take(_ notification: JSONRPCNotification) {
        guard notification.method == Method.cancelled,
            let id = notification.params?["requestId"].flatMap(RequestID.init)
        else { return }
        state.withLock { _ = $0.cancelled.insert(id) }
    }

    private func take(_ request: JSONRPCRequest) {
        if request.method == Method.discover {
            if options.exitsOnProbe {
                Main.complain("unexpected first message, giving up")
                CurrentProcess.endAtOnce(code: 1)
            }
            if options.hangsOnProbe { return }
        }
        let meta = request.params?["_meta"]?.objectValue ?? [:]
        let isModern = options.era != .legacy && meta[MetaKey.protocolVersion] != nil
        if let error = refusal(of: request, meta: meta, isModern: isModern) {
            return write(.error(id: request.id, error: error))
        }
        switch request.method {
        case Method.discover: answer(request, discovery, isModern: true)
        case Method.initialize: initialize(request)
        case Method.ping: answer(request, [:], isModern: false)
        case Method.listTools: answer(request, toolList(isModern: isModern), isModern: isModern)
        default: call(request, meta: meta, isModern: isModern)
        }
    }

    private func refusal(
        of request: JSONRPCRequest, meta: JSONObject, isModern: Bool
    ) -> RPCError? {
        let isInitialized = state.withLock(\.isInitialized)
        switch request.method {
        case Method.initialize, Method.ping:
            if options.era != .modern { return nil }
            return .unsupportedProtocolVersion(requested: "initialize", supported: [.latestModern])
        case Method.discover where options.era == .legacy: return .methodNotFound(request.method)
        case Method.discover, Method.listTools, Method.callTool:
            guard isModern else {
                let isServed = isInitialized && request.method != Method.discover
                return isServed ? nil : .invalidParams("_meta is missing, and so is initialize")
            }
            let version = meta[MetaKey.protocolVersion]?.stringValue ?? ""
            if ProtocolVersion(rawValue: version)?.isModern != true {
                return .unsupportedProtocolVersion(
                    requested: version, supported: ProtocolVersion.modern)
            }
            return meta[MetaKey.clientCapabilities] == nil
                ? .invalidParams("the client's capabilities are missing") : nil
        default: return .methodNotFound(request.method)
        }
    }

    private var discovery: JSONObject {
        DiscoverResult(
            supportedVersions: [ProtocolVersion.latestModern.rawValue], capabilities: .tools(),
            instructions: nil, serverInfo: nil,
            caching: Caching(timeToLive: .seconds(60), scope: .shared)
        ).json
    }

    private func initialize(_ request: JSONRPCRequest) {
        let asked = request.params?["protocolVersion"]?.stringValue
        let version = asked.flatMap(ProtocolVersion.init(rawValue:)) ?? .latestLegacy
        state.withLock { $0.isInitialized = true }
        let result = InitializeResult(
            protocolVersion: min(version, .latestLegacy).rawValue, capabilities: .tools(),
            serverInfo: Self.information, instructions: nil)
        answer(request, result.json, isModern: false)
    }

    private func toolList(isModern: Bool) -> JSONObject {
        var result: JSONObject = ["tools": .array(FixtureTools.all.map { .object($0.json) })]
        if isModern { Caching(timeToLive: .seconds(60), scope: .shared).write(to: &result) }
        return result
    }

    private func call(_ request: JSONRPCRequest, meta: JSONObject, isModern: Bool) {
        let name = request.params?["name"]?.stringValue ?? ""
        guard FixtureTools.all.contains(where: { $0.name == name }) else {
            return write(.error(id: request.id, error: .unknownTool(name)))
        }
        let call = ToolCall(
            tool: name, arguments: request.params?["arguments"]?.objectValue ?? [:], meta: meta)
        let work: @Sendable () -> Void = { [self] in perform(call, request, isModern: isModern) }
        guard call.arguments["milliseconds"] != nil else { return work() }
        do {
            try SystemThread.start(named: name, work)
        } catch {
            write(.error(id: request.id, error: .internalError("\(error)")))
        }
    }

    private func perform(_ call: ToolCall, _ request: JSONRPCRequest, isModern: Bool) {
        do {
            let outcome = try runner.run(call) { duration in
                wait(duration, request.id, ProgressToken(call.meta[MetaKey.progressToken] ?? .null))
            }
            switch outcome {
            case .result(let result): answer(request, result.json, isModern: isModern)
            case .error(let error): write(.error(id: request.id, error: error))
            case .silence: break
            }
        } catch {
            write(.error(id: request.id, error: .internalError("\(error)")))
        }
    }

    /// Waits in ten parts, and tells of each; false if the request was cancelled.
    private func wait(_ duration: Duration, _ id: RequestID, _ token: ProgressToken?) -> Bool {
        for part in 1...10 {
            let end = SystemClock.sinceBoot() + duration / 10
            while case let left = end - SystemClock.sinceBoot(), left > .zero {
                if state.withLock({ $0.cancelled.remove(id) != nil }) { return false }
                CurrentProcess.block(for: min(left, .milliseconds(5)))
            }
            guard let token else { continue }
            let params: JSONObject = [
                "progressToken": token.json, "progress": .number(JSONNumber(part)), "total": 10,
            ]
            write(.notification(JSONRPCNotification(method: Method.progress, params: params)))
        }
        return true
    }

    private static let information = Implementation(name: "mcp-fixture", version: "1")

    private func answer(_ request: JSONRPCRequest, _ result: JSONObject, isModern: Bool) {
        var result = result
        if isModern {
            result["resultType"] = .string(ResultType.complete)
            var meta = result["_meta"]?.objectValue ?? [:]
            meta[MetaKey.serverInfo] = .object(Self.information.json)
            result["_meta"] = .object(meta)
        }
        write(.result(id: request.id, result: result))
    }

    private func write(_ message: JSONRPCMessage) {
        output.withLock { _ in
            // A client that reads no more closes our input too, and that ends the server.
            try? CurrentProcess.writeAll(message.json.serialized() + [10], to: 1)
        }
    }
}
