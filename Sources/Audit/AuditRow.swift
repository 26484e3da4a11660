internal import DurableEngine
internal import DurableLog
internal import DurableSecurity
internal import OpenSSLCrypto
internal import OrderedJSON

/// One event as an export shows it: who, what and when, but never a text, an argument or a result.
struct AuditRow {
    /// The columns, in order.
    static let columns = [
        "position", "time", "conversationId", "sequence", "type", "runId", "step", "tool",
        "effect", "outcome", "approvalId", "approver", "level", "argumentsDigest", "digest",
    ]

    /// The values that there are, by column.
    private var values: [String: JSONValue] = [:]

    /// The row of an event; one that this version cannot read gives what stands beside its payload.
    init(_ stored: StoredEvent, _ event: EngineEvent?) {
        values["position"] = .number(JSONNumber(stored.position))
        values["time"] = .string(Timestamp(milliseconds: stored.event.time).text)
        values["conversationId"] = .string(stored.conversation.rawValue)
        values["sequence"] = .number(JSONNumber(stored.sequence))
        values["type"] = .string(stored.event.type)
        values["digest"] = .string(Hex.encode(stored.event.digest))
        guard let event else { return }
        values["runId"] = .string(event.runID.rawValue)
        fill(event)
    }

    private mutating func fill(_ event: EngineEvent) {
        switch event {
        case .runStarted, .runRecovered: break
        case .runCancelRequested(_, let by): text("approver", by)
        case .runParked: text("outcome", RunStatus.parked.rawValue)
        case .runSubmitted(let event):
            if case .call(let tool, _) = event.work { text("tool", tool) }
        case .runEnded(let event): text("outcome", event.status.rawValue)
        case .messageAdded(_, let step, _, _): number("step", step)
        case .stepDecided(let event):
            number("step", event.step)
            guard let call = event.call else { return }
            text("tool", call.tool)
            text("effect", call.effect.rawValue)
            text("argumentsDigest", call.argumentsDigest)
        case .approvalRequested(let event):
            number("step", event.step)
            text("outcome", "requested")
            text("approvalId", event.approvalID.rawValue)
            text("level", event.requiredAuthLevel.rawValue)
            text("argumentsDigest", event.argumentsDigest)
        case .approvalResolved(let event):
            text("outcome", event.decision.rawValue)
            text("approvalId", event.approvalID.rawValue)
            text("approver", event.approver)
            text("level", event.level.rawValue)
            text("argumentsDigest", event.argumentsDigest)
        case .approvalExpired(_, let id, let audience):
            text("outcome", audience == nil ? "expired" : "escalated")
            text("approvalId", id.rawValue)
        case .effectIntent(let event):
            number("step", event.step)
            text("tool", event.tool)
            text("effect", event.effect.rawValue)
            text("argumentsDigest", event.argumentsDigest)
        case .effectAttempt(_, let step, _): number("step", step)
        case .effectRetry(_, let step, _, _, _):
            number("step", step)
            text("outcome", "retry")
        case .effectResult(let event):
            number("step", event.step)
            text("outcome", event.outcome.rawValue)
        case .effectUnknown(_, let step, _, _):
            number("step", step)
            text("outcome", "unknown")
        }
    }

    /// Fills a column; an empty text is none, as where a question has no arguments.
    private mutating func text(_ column: String, _ value: String) {
        if !value.isEmpty { values[column] = .string(value) }
    }

    private mutating func number(_ column: String, _ value: Int) {
        values[column] = .number(JSONNumber(value))
    }

    /// One JSON object and a line feed; what there is not is left out.
    var jsonLine: String {
        let pairs = Self.columns.compactMap { name in values[name].map { (name, $0) } }
        return JSONValue.object(JSONObject(pairs)).text + "\n"
    }

    /// One record of RFC 4180.
    var csvRecord: String {
        let fields = Self.columns.map { name -> String in
            switch values[name] {
            case .string(let text): AuditCSV.field(text)
            case .number(let number): number.text
            default: ""
            }
        }
        return fields.joined(separator: ",") + "\r\n"
    }

    /// The names of the columns as a record of RFC 4180.
    static var csvHeader: String { columns.joined(separator: ",") + "\r\n" }
}

/// The fields of RFC 4180.
package enum AuditCSV {
    /// A text as a field: quoted where it must be, and with an apostrophe before what a
    /// spreadsheet would take for a formula.
    package static func field(_ text: String) -> String {
        let startsFormula: (Unicode.Scalar) -> Bool = { "=+-@\t\r\n".unicodeScalars.contains($0) }
        let safe = text.unicodeScalars.first.map(startsFormula) == true ? "'" + text : text
        let mustBeQuoted = safe.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
        guard mustBeQuoted else { return safe }
        var quoted = "\""
        for scalar in safe.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
