internal import FoundationEssentials
internal import LinuxPlatform
internal import MCPProtocol
internal import OrderedJSON

/// The file in which every start and every effect of a tool is written down, one JSON object a
/// line, on the disk before the tool goes on.
///
/// Members: `event` (`started` or `done`), `tool`, `arguments`, `key` (the idempotency key, or
/// null), `pid`, and `time` (nanoseconds since the machine started).
final class Ledger: Sendable {
    /// What a line says.
    enum Event: String {
        /// The tool was called.
        case started
        /// The tool has acted.
        case done
    }

    private let file: AppendFile
    private let path: String

    init(path: String) throws {
        file = try AppendFile(path: path)
        self.path = path
    }

    func write(_ event: Event, _ call: ToolCall) throws {
        let line: JSONValue = [
            "event": .string(event.rawValue),
            "tool": .string(call.tool),
            "arguments": .object(call.arguments),
            "key": call.meta[MetaKey.idempotencyKey] ?? .null,
            "pid": .number(JSONNumber(CurrentProcess.identifier)),
            "time": .number(JSONNumber(Int64(SystemClock.sinceBoot() / .nanoseconds(1)))),
        ]
        try file.append(line.serialized() + [10])
    }

    /// Whether any tool has acted under this idempotency key.
    func isDone(key: String) throws -> Bool {
        let bytes = try Data(contentsOf: URL(filePath: path))
        return bytes.split(separator: 10).contains { line in
            // A torn last line tells of nothing that is done.
            guard let entry = try? JSONValue(parsing: Array(line)) else { return false }
            return entry["event"] == "done" && entry["key"]?.stringValue == key
        }
    }
}

/// One call of a tool, as it came.
struct ToolCall: Sendable {
    let tool: String
    let arguments: JSONObject
    let meta: JSONObject
}
