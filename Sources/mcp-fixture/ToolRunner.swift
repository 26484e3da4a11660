internal import LinuxPlatform
internal import MCPProtocol
internal import OrderedJSON

/// What a tool call comes to.
enum ToolOutcome {
    case result(CallToolResult)
    case error(RPCError)
    /// No answer at all.
    case silence
}

/// Does what the tools do.
struct ToolRunner: Sendable {
    let ledger: Ledger?

    /// Runs a tool that is listed; `wait` is false if the call was cancelled meanwhile.
    func run(_ call: ToolCall, wait: (Duration) -> Bool) throws -> ToolOutcome {
        try ledger?.write(.started, call)
        if let milliseconds = call.arguments["milliseconds"]?.intValue {
            guard wait(.milliseconds(milliseconds)) else { return .silence }
        }
        switch call.tool {
        case "lookup":
            let thing = call.string("thing")
            try ledger?.write(.done, call)
            return answer("\(thing) is green.", ["thing": .string(thing), "colour": "green"])
        case "put", "send", "slow", "liar":
            try ledger?.write(.done, call)
            return answer("Done: \(call.tool).", ["done": true])
        case "crash":
            if call.string("when") != "before" { try ledger?.write(.done, call) }
            Main.complain("crashing as told")
            CurrentProcess.endAtOnce(code: 70)
        case "lost_reply":
            try ledger?.write(.done, call)
            return .silence
        case "fail":
            return .result(CallToolResult(text: "It failed, as it was told to.", isError: true))
        case "rpc_error":
            let code = call.arguments["code"]?.intValue ?? -32603
            return .error(RPCError(kind: .init(code: code), message: "as it was told to"))
        case "big":
            let text = String(repeating: "x", count: call.arguments["bytes"]?.intValue ?? 0)
            return .result(CallToolResult(text: text))
        case "check_send":
            let isDone = try ledger?.isDone(key: call.string("key")) ?? false
            return answer(isDone ? "It was done." : "It was not done.", ["done": .bool(isDone)])
        default:
            let echo: JSONValue = [
                "arguments": .object(call.arguments), "meta": .object(call.meta),
                "pid": .number(JSONNumber(CurrentProcess.identifier)),
            ]
            return answer(echo.text, echo)
        }
    }

    private func answer(_ text: String, _ structured: JSONValue) -> ToolOutcome {
        .result(CallToolResult(text: text, structuredContent: structured))
    }
}

extension ToolCall {
    fileprivate func string(_ name: String) -> String { arguments[name]?.stringValue ?? "" }
}
