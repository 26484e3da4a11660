internal import DurableEngine
internal import DurableSecurity
internal import JSONSchema
internal import MCPProtocol
internal import MCPServer
internal import OrderedJSON

/// A tool of our own.
struct OwnTool: Sendable {
    typealias Body = @Sendable (OwnCall) async throws -> CallToolResult

    let definition: ToolDefinition
    let group: ToolGroup
    /// The roles of which one suffices to see and call it; nil where its body decides.
    let roles: Set<Role>?
    private let schema: Schema
    private let body: Body

    /// A tool whose arguments and result are objects of these properties.
    init(
        _ name: String, title: String, _ description: String, in group: ToolGroup,
        roles: Set<Role>?, hints: ToolAnnotations, input: ObjectSchema, output: ObjectSchema,
        body: @escaping Body
    ) {
        precondition(description.count <= ShownDefinition.descriptionLimit, "\(name): too long")
        definition = ToolDefinition(
            name: name, title: title, description: description, inputSchema: input.json,
            outputSchema: output.json, annotations: hints)
        self.group = group
        self.roles = roles
        self.body = body
        do {
            schema = try Schema(compiling: .object(input.json))
        } catch {
            preconditionFailure("The schema of '\(name)' is broken: \(error)")
        }
    }

    var name: String { definition.name }

    /// Whether this principal sees it in a list.
    func isShown(to principal: Principal) -> Bool {
        roles.map { $0.contains { principal.has($0) } } ?? true
    }

    /// Calls it; what goes wrong in a way that a model can mend is a result.
    func call(_ call: OwnCall) async throws -> CallToolResult {
        if let roles, !isShown(to: call.principal) {
            return .refusal(of: name, to: call.principal, lacking: roles)
        }
        do {
            if let refused = call.notBuilt(in: name) { throw refused }
            if let problem = Arguments.problem(call.arguments, of: name, by: schema) {
                throw ToolRefusal(problem)
            }
            return try await body(call)
        } catch let error as ToolRefusal {
            return CallToolResult(text: error.text, isError: true)
        } catch let error as EngineError {
            if error.code == .stopping { try Task.checkCancellation() }
            return CallToolResult(text: error.message, isError: true)
        }
    }
}

/// One call of a tool of our own.
struct OwnCall: Sendable {
    let arguments: JSONObject
    let context: RequestContext<Principal>

    var principal: Principal { context.identity }

    /// The caller's id of this piece of work, from whichever place it stands in.
    func requestID() throws(RPCError) -> String? {
        let inArguments = text("requestId")
        guard let inArguments, let outside = context.callerRequestID, inArguments != outside
        else { return inArguments ?? context.callerRequestID }
        throw .invalidParams(
            "'requestId' in the arguments is not the request id that the request itself bears.")
    }

    func text(_ key: String) -> String? { arguments[key]?.stringValue }

    func integer(_ key: String) -> Int? { arguments[key]?.intValue }

    /// A run's id, which the schema has asked for.
    var runID: RunID { RunID(rawValue: text("runId") ?? "") }

    var approvalID: ApprovalID { ApprovalID(rawValue: text("approvalId") ?? "") }

    fileprivate func notBuilt(in tool: String) -> ToolRefusal? {
        guard tool == "start_run" else { return nil }
        for key in ["agent", "prompt"] where arguments[key] != nil {
            return ToolRefusal(
                "'\(key)' is not built yet: runs driven by a model come later. Give a 'script'.")
        }
        if arguments["budget"] != nil {
            return ToolRefusal("'budget' is not built yet. Leave it out.")
        }
        switch text("whenBusy") {
        case "steer":
            return ToolRefusal("A script cannot be steered. Use 'whenBusy': 'queue'.")
        case "reject":
            return ToolRefusal("'whenBusy': 'reject' is not built yet. Use 'queue'.")
        default: return nil
        }
    }
}

/// Why a tool does not do what it was asked to, and what to do instead; a model reads it.
struct ToolRefusal: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

extension CallToolResult {
    /// A result whose text and structure say the same, each by itself.
    static func structured(_ json: JSONObject, isError: Bool = false) -> CallToolResult {
        let text = String(decoding: JSONValue.object(json).serialized(pretty: true), as: UTF8.self)
        return CallToolResult(text: text, structuredContent: .object(json), isError: isError)
    }

    /// A principal may not call a tool.
    static func refusal(
        of tool: String, to principal: Principal, lacking roles: Set<Role>
    ) -> CallToolResult {
        let names = roles.map { "'\($0.rawValue)'" }.sorted().joined(separator: " or ")
        return CallToolResult(
            text: """
                '\(principal.id)' may not call '\(tool)': it has not the role \(names). Roles are \
                given under 'access' in the configuration, or with the token.
                """,
            isError: true)
    }
}

/// A JSON Schema of an object, in the plain form that every client accepts.
struct ObjectSchema: Sendable {
    let json: JSONObject

    /// An object of these properties; `required` names those that must be there.
    init(_ properties: JSONObject, required: [String] = [], isOpen: Bool = false) {
        var json: JSONObject = ["type": "object", "properties": .object(properties)]
        if !required.isEmpty { json["required"] = .array(required.map(JSONValue.string)) }
        if !isOpen { json["additionalProperties"] = false }
        self.json = json
    }

    var value: JSONValue { .object(json) }

    static func text(_ description: String) -> JSONValue {
        ["type": "string", "description": .string(description)]
    }

    static func choice(_ names: [String], _ description: String) -> JSONValue {
        [
            "type": "string", "enum": .array(names.map(JSONValue.string)),
            "description": .string(description),
        ]
    }

    static func integer(_ range: ClosedRange<Int>, _ description: String) -> JSONValue {
        [
            "type": "integer", "minimum": .number(JSONNumber(range.lowerBound)),
            "maximum": .number(JSONNumber(range.upperBound)), "description": .string(description),
        ]
    }

    static func list(of element: JSONValue, _ description: String) -> JSONValue {
        ["type": "array", "items": element, "description": .string(description)]
    }

    static func anything(_ description: String) -> JSONValue {
        ["description": .string(description)]
    }
}
