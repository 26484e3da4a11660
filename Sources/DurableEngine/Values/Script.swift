public import DurableSecurity
public import OrderedJSON

/// A list of steps that a run carries out one after the other.
public struct Script: Hashable, Sendable {
    /// At most this many steps.
    public static let stepLimit = 10_000

    /// One step.
    public enum Step: Hashable, Sendable {
        /// Text for the reader.
        case assistant(String)
        /// A tool call; strings in its arguments may hold `${steps.N.output#/pointer}`.
        case tool(name: String, arguments: JSONObject, callID: String?)
        /// A question to a person.
        case approval(ApprovalStep)
        /// The end, with the run's final text.
        case finish(String)
    }

    /// A question to a person.
    public struct ApprovalStep: Hashable, Sendable {
        /// What is asked.
        public var prompt: String
        /// How much harm a wrong answer could do.
        public var risk: Risk
        /// The level an approver needs.
        public var requiredAuthLevel: AuthLevel
        /// When it is too late, in milliseconds since 1970.
        public var expiresAt: Int64?
        /// The audience that is asked once it has expired.
        public var escalateTo: String?
    }

    /// The steps, in order; not empty.
    public let steps: [Step]
    /// What the caller wrote, kept exactly.
    public let source: JSONObject
}

extension Script {
    /// Reads the form that callers write: `{"steps": [...]}`.
    ///
    /// - Throws: ``EngineError`` `.invalidScript`, naming the step and what is wrong with it.
    public init(_ source: JSONObject) throws(EngineError) {
        for key in source.keys where key != "steps" {
            throw .invalidScript("'\(key)' is not known; a script has only 'steps'.")
        }
        guard let list = source["steps"]?.arrayValue else {
            throw .invalidScript("'steps' must be a list of steps.")
        }
        guard !list.isEmpty, list.count <= Self.stepLimit else {
            throw .invalidScript("'steps' must hold 1 to \(Self.stepLimit) steps.")
        }
        var steps: [Step] = []
        steps.reserveCapacity(list.count)
        for (index, value) in list.enumerated() {
            guard let object = value.objectValue else {
                throw .invalidScript("steps[\(index)] must be an object.")
            }
            steps.append(try Step(object, index: index))
        }
        self.steps = steps
        self.source = source
    }

    /// The names of the tools it calls, each once, in order.
    public var toolNames: [String] {
        var names: [String] = []
        for case .tool(let name, _, _) in steps where !names.contains(name) { names.append(name) }
        return names
    }
}

extension Script.Step {
    /// The key that says what kind of step this is.
    public var kind: String {
        switch self {
        case .assistant: "assistant"
        case .tool: "tool"
        case .approval: "approval"
        case .finish: "finish"
        }
    }

    private static let keysByKind: [String: Set<String>] = [
        "assistant": ["assistant"],
        "tool": ["tool", "arguments", "callId"],
        "approval": [
            "approval", "prompt", "risk", "requiredAuthLevel", "expiresAt", "escalateTo",
        ],
        "finish": ["finish"],
    ]

    init(_ object: JSONObject, index: Int) throws(EngineError) {
        let place = "steps[\(index)]"
        let kinds = object.keys.filter { Self.keysByKind[$0] != nil }
        guard kinds.count == 1, let kind = kinds.first else {
            let found = object.keys.prefix(5).map { "'\($0)'" }.joined(separator: ", ")
            throw .invalidScript(
                """
                \(place) must have exactly one of 'assistant', 'tool', 'approval', 'finish'; it \
                has \(found.isEmpty ? "no member" : found).
                """)
        }
        let known = Self.keysByKind[kind, default: []]
        for key in object.keys where !known.contains(key) {
            throw .invalidScript("\(place).\(key) is not known in a step of kind '\(kind)'.")
        }
        switch kind {
        case "assistant": self = .assistant(try object.text("assistant", at: place))
        case "finish": self = .finish(try object.text("finish", at: place))
        case "tool":
            let arguments = object["arguments"] ?? .object(JSONObject())
            guard let arguments = arguments.objectValue else {
                throw .invalidScript("\(place).arguments must be an object.")
            }
            let name = try object.text("tool", at: place)
            if let reference = StepReference.firstInvalid(in: .object(arguments), before: index) {
                throw .invalidScript("\(place).arguments: \(reference)")
            }
            self = .tool(
                name: name, arguments: arguments,
                callID: object["callId"] == nil ? nil : try object.text("callId", at: place))
        default: self = .approval(try Script.ApprovalStep(object, place: place))
        }
    }
}

extension Script.ApprovalStep {
    /// Reads both forms: `{"approval": "prompt", …}` and `{"approval": {"prompt": …}}`.
    init(_ step: JSONObject, place: String) throws(EngineError) {
        var object = step
        if let inner = step["approval"]?.objectValue {
            for member in inner.members { object[member.key] = member.value }
            prompt = try inner.text("prompt", at: "\(place).approval")
        } else {
            prompt = try step.text("approval", at: place)
        }
        let riskName = try object.optionalText("risk", at: place) ?? Risk.standard.rawValue
        guard let risk = Risk(rawValue: riskName) else {
            throw .invalidScript("\(place).risk must be 'standard' or 'high'.")
        }
        self.risk = risk
        let least = AuthLevel.least(for: risk)
        if let name = try object.optionalText("requiredAuthLevel", at: place) {
            guard let level = AuthLevel(rawValue: name) else {
                let known = AuthLevel.allCases.map(\.rawValue).joined(separator: "', '")
                throw .invalidScript("\(place).requiredAuthLevel must be one of '\(known)'.")
            }
            requiredAuthLevel = max(level, least)
        } else {
            requiredAuthLevel = least
        }
        escalateTo = try object.optionalText("escalateTo", at: place)
        expiresAt = nil
        if let text = try object.optionalText("expiresAt", at: place) {
            guard let time = Timestamp(parsing: text) else {
                throw .invalidScript(
                    "\(place).expiresAt must be a time such as '2026-11-30T12:00:00Z'.")
            }
            expiresAt = time.milliseconds
        }
    }
}

extension AuthLevel {
    /// The least level that may decide a call of this risk.
    static func least(for risk: Risk) -> AuthLevel {
        switch risk {
        case .standard: .anonymous
        case .high: .devicePasscode
        }
    }
}

extension JSONObject {
    func text(_ key: String, at place: String) throws(EngineError) -> String {
        guard let text = self[key]?.stringValue else {
            throw .invalidScript("\(place).\(key) must be a string.")
        }
        return text
    }

    func optionalText(_ key: String, at place: String) throws(EngineError) -> String? {
        self[key] == nil ? nil : try text(key, at: place)
    }
}
