package import DurableEngine
internal import DurableSecurity
package import OrderedJSON

/// An approval that waits, in the form that clients read: exactly what will run, and why.
package struct ApprovalView {
    let approval: PendingApproval

    /// The form of this approval.
    package init(_ approval: PendingApproval) { self.approval = approval }

    /// What `list_pending_approvals` gives for it, however long.
    package var json: JSONObject {
        var bytes = Int.max
        return json(&bytes)
    }

    /// As ``json``, without the arguments where they have more bytes than are left.
    func json(_ bytesLeft: inout Int) -> JSONObject {
        let request = approval.request
        var json: JSONObject = [
            "approvalId": .string(request.approvalID.rawValue),
            "runId": .string(request.runID.rawValue), "principal": .string(approval.principal),
            "purpose": .string(request.purpose.rawValue),
        ]
        if let call = approval.call {
            json["tool"] = .string(call.tool)
            json["upstream"] = call.upstream.map(JSONValue.string)
            let bytes = JSONValue.object(call.arguments).serialized().count
            if bytes <= bytesLeft {
                bytesLeft -= bytes
                json["arguments"] = .object(call.arguments)
            } else {
                json["argumentsOmitted"] = .string(
                    "They have \(bytes) bytes, too many to show here.")
            }
            json["effect"] = .string(call.effect.rawValue)
            json["key"] = .string(call.key)
            json["definitionDigest"] = .string(call.definitionDigest)
        }
        json["argumentsDigest"] = .string(request.argumentsDigest)
        json["risk"] = .string(request.risk.rawValue)
        json["requiredAuthLevel"] = .string(request.requiredAuthLevel.rawValue)
        json["reason"] = .string(request.reason)
        json["audience"] = approval.audience.map(JSONValue.string)
        json["requestedAt"] = .string(Timestamp(milliseconds: approval.requestedAt).text)
        json["expiresAt"] = request.expiresAt.map {
            .string(Timestamp(milliseconds: $0).text)
        }
        return json
    }
}
