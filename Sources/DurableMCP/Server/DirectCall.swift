internal import DurableEngine
internal import MCPProtocol
internal import OrderedJSON

/// What the caller of a proxied tool gets, once its run is settled.
struct DirectCall {
    let snapshot: RunSnapshot
    /// Whether the tool promises a structured result, so that clients refuse one without.
    let promisesStructure: Bool

    var result: CallToolResult {
        var result = answer
        var meta = result.meta ?? [:]
        meta[MetaKey.run] = .object(run)
        result.meta = meta
        return result
    }

    private var run: JSONObject {
        var run: JSONObject = [
            "runId": .string(snapshot.id.rawValue), "status": .string(snapshot.status.rawValue),
        ]
        run["approvalId"] = snapshot.approval.map { .string($0.request.approvalID.rawValue) }
        return run
    }

    private var tool: String {
        guard case .call(let tool, _) = snapshot.run.submission.work else { return "The run" }
        return "'\(tool)'"
    }

    private var answer: CallToolResult {
        if let output = snapshot.callResult?.objectValue {
            do {
                return try CallToolResult(json: output)
            } catch {
                return failure("\(tool) gave a result that is none: \(error.message)")
            }
        }
        if let approval = snapshot.approval { return failure(waiting(approval.request)) }
        switch snapshot.status {
        case .completed:
            return CallToolResult(
                text: """
                    \(tool) has happened, as a person has found out; its answer is not known. Do \
                    not call it again.
                    """,
                isError: promisesStructure)
        case .failed:
            return failure(snapshot.error ?? "\(tool) failed, and gave no reason.")
        case .cancelled:
            return failure("\(tool) was cancelled. Nothing more happens of this call.")
        case .parked:
            let reason = snapshot.run.parkedReason ?? ""
            return failure("\(tool) was put aside. \(reason) Cancel it with cancel_run.")
        case .queued, .running, .waiting, .cancelling, .compensating:
            return failure(
                """
                \(tool) has not ended yet: its run is '\(snapshot.status.rawValue)'. Call \
                get_run_status with runId '\(snapshot.id)' and 'waitSeconds'.
                """)
        }
    }

    private func waiting(_ request: ApprovalRequested) -> String {
        let hint = ApprovalHint(request).text
        switch request.purpose {
        case .gate, .step:
            return """
                \(tool) has not been called yet: it waits for the approval \
                '\(request.approvalID)', since \(request.reason). Risk: \
                \(request.risk.rawValue). \(hint)
                """
        case .reconcile:
            return "\(request.reason) \(hint)"
        }
    }

    private func failure(_ text: String) -> CallToolResult {
        CallToolResult(text: text, isError: true)
    }
}
