internal import DurableSecurity
internal import OrderedJSON

extension Work {
    var payload: JSONObject {
        switch self {
        case .script(let script): ["script": .object(script.source)]
        case .call(let tool, let arguments):
            ["call": ["tool": .string(tool), "arguments": .object(arguments)]]
        }
    }

    init(_ payload: EventPayload) throws(EngineError) {
        if payload.object["script"] != nil {
            self = .script(try Script(try payload.object("script")))
        } else {
            let call = payload.inner(try payload.object("call"))
            self = .call(tool: try call.text("tool"), arguments: try call.object("arguments"))
        }
    }
}

extension ToolFacts.Upstream {
    var payload: JSONValue {
        ["name": .string(name), "fingerprint": .string(fingerprint)]
    }

    init(_ payload: EventPayload) throws(EngineError) {
        self.init(name: try payload.text("name"), fingerprint: try payload.text("fingerprint"))
    }
}

extension RunSubmitted {
    init(_ payload: EventPayload) throws(EngineError) {
        runID = try payload.run()
        principal = try payload.text("principal")
        requestID = try payload.optionalText("requestId")
        payloadHash = try payload.text("payloadHash")
        work = try Work(payload.inner(try payload.object("work")))
        upstreams = []
        for value in payload.object["upstreams"]?.arrayValue ?? [] {
            guard let object = value.objectValue else { throw payload.fail("upstreams") }
            upstreams.append(try ToolFacts.Upstream(payload.inner(object)))
        }
    }
}

extension PlannedCall {
    var payload: JSONObject {
        JSONObject(present: [
            ("tool", .string(tool)), ("arguments", .object(arguments)),
            ("argumentsDigest", .string(argumentsDigest)), ("key", .string(key)),
            ("callId", .optional(callID)), ("effect", .string(effect.rawValue)),
            ("risk", .string(risk.rawValue)), ("definitionDigest", .string(definitionDigest)),
            ("upstream", .optional(upstream)), ("replayOnCrash", .bool(replayOnCrash)),
            ("canReconcile", .bool(canReconcile)),
            ("settleMilliseconds", .number(JSONNumber(settleMilliseconds))),
            ("maximumAttempts", .number(JSONNumber(maximumAttempts))),
        ])
    }

    init(_ payload: EventPayload) throws(EngineError) {
        tool = try payload.text("tool")
        arguments = try payload.object("arguments")
        argumentsDigest = try payload.text("argumentsDigest")
        key = try payload.text("key")
        callID = try payload.optionalText("callId")
        effect = try payload.named("effect")
        risk = try payload.named("risk")
        definitionDigest = try payload.text("definitionDigest")
        upstream = try payload.optionalText("upstream")
        replayOnCrash = try payload.flag("replayOnCrash")
        canReconcile = try payload.flag("canReconcile")
        settleMilliseconds = Int64(try payload.integer("settleMilliseconds"))
        maximumAttempts = try payload.integer("maximumAttempts")
    }
}

extension ApprovalRequested {
    init(_ payload: EventPayload) throws(EngineError) {
        approvalID = try payload.approval()
        runID = try payload.run()
        step = try payload.integer("step")
        purpose = try payload.named("purpose")
        risk = try payload.named("risk")
        requiredAuthLevel = try payload.named("requiredAuthLevel")
        reason = try payload.text("reason")
        argumentsDigest = try payload.text("argumentsDigest")
        expiresAt = try payload.optionalInteger("expiresAt").map(Int64.init)
        escalateTo = try payload.optionalText("escalateTo")
    }
}

extension ApprovalResolved {
    init(_ payload: EventPayload) throws(EngineError) {
        approvalID = try payload.approval()
        runID = try payload.run()
        decision = try payload.named("decision")
        approver = try payload.text("approver")
        level = try payload.named("level")
        reason = try payload.optionalText("reason")
        output = payload.object["output"]
        argumentsDigest = try payload.text("argumentsDigest")
    }
}
