internal import DurableSecurity
internal import OrderedJSON

/// What the owner of a conversation is asked to do.
///
/// It travels as JSON through the inbox where the owner is another process.
enum EngineCommand: Hashable, Sendable {
    /// Accept a run.
    case submit(RunSubmitted)
    /// Take an answer to an approval.
    case answer(ApprovalAnswer)
    /// End a run at its next safe point.
    case cancel(RunID, by: String)
    /// Let an approval expire, if its time has come.
    case expire(ApprovalID)

    /// For the inbox.
    var json: JSONObject {
        switch self {
        case .submit(let submission):
            [
                "command": "submit",
                "run": .object(EngineEvent.runSubmitted(submission).payload),
            ]
        case .answer(let answer):
            JSONObject(present: [
                ("command", "answer"), ("approvalId", .string(answer.approvalID.rawValue)),
                ("approves", .bool(answer.approves)), ("approver", .string(answer.approver.id)),
                ("roles", .array(answer.approver.roles.map { .string($0.rawValue) })),
                ("level", .string(answer.approver.authLevel.rawValue)),
                ("reason", .optional(answer.reason)), ("output", answer.output),
                ("argumentsDigest", .optional(answer.argumentsDigest)),
            ])
        case .cancel(let run, let by):
            ["command": "cancel", "runId": .string(run.rawValue), "by": .string(by)]
        case .expire(let approval):
            ["command": "expire", "approvalId": .string(approval.rawValue)]
        }
    }

    /// Reads what another process left.
    init(_ object: JSONObject) throws(EngineError) {
        let payload = EventPayload(object: object, type: "inbox item", version: 1)
        switch try payload.text("command") {
        case "submit":
            self = .submit(try RunSubmitted(payload.inner(try payload.object("run"))))
        case "answer":
            var roles: Set<Role> = []
            for value in object["roles"]?.arrayValue ?? [] {
                if let role = value.stringValue.flatMap(Role.init(rawValue:)) { roles.insert(role) }
            }
            let approver = Principal(
                id: try payload.text("approver"), roles: roles,
                authLevel: try payload.named("level"))
            self = .answer(
                ApprovalAnswer(
                    approvalID: try payload.approval(), approves: try payload.flag("approves"),
                    approver: approver, reason: try payload.optionalText("reason"),
                    output: object["output"],
                    argumentsDigest: try payload.optionalText("argumentsDigest")))
        case "cancel": self = .cancel(try payload.run(), by: try payload.text("by"))
        case "expire": self = .expire(try payload.approval())
        default: throw payload.fail("command")
        }
    }
}

/// What the owner says to a command.
struct CommandReply: Hashable, Sendable {
    /// The run it was about, or why it was refused.
    var result: Result<RunID, EngineError>

    /// For the table of replies.
    var json: JSONObject {
        switch result {
        case .success(let run): ["runId": .string(run.rawValue)]
        case .failure(let error):
            ["code": .string(error.code.rawValue), "message": .string(error.message)]
        }
    }

    init(_ result: Result<RunID, EngineError>) { self.result = result }

    /// Reads what another process answered.
    init(_ object: JSONObject) throws(EngineError) {
        let payload = EventPayload(object: object, type: "inbox reply", version: 1)
        if object["runId"] != nil {
            result = .success(try payload.run())
        } else {
            let code: EngineError.Code = try payload.named("code")
            result = .failure(EngineError(code: code, message: try payload.text("message")))
        }
    }
}
