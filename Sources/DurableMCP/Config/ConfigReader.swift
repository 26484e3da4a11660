internal import FoundationEssentials
internal import OrderedJSON

/// Reads a config value by value, and gathers every problem on the way.
///
/// A getter that meets a wrong value notes it and gives nil, so that one reading finds all
/// problems; the result is used only where there were no errors.
struct ConfigReader {
    let text: JSONWithComments
    let file: String?
    private(set) var errors: [ConfigProblem] = []
    private(set) var warnings: [ConfigProblem] = []

    /// One value of the config, and the way to it.
    struct Node {
        let value: JSONValue
        let path: [String]

        func member(_ key: String) -> Node? {
            value[key].map { Node(value: $0, path: path + [key]) }
        }
    }

    init(text: JSONWithComments, file: String?) {
        self.text = text
        self.file = file
    }

    mutating func error(_ path: [String], _ message: String) {
        errors.append(problem(path, message))
    }

    mutating func warning(_ path: [String], _ message: String) {
        warnings.append(problem(path, message))
    }

    private func problem(_ path: [String], _ message: String) -> ConfigProblem {
        let offset = JSONLocator.offset(of: path, in: text.plain)
        let position = JSONWithComments.position(of: offset, in: text.original)
        return ConfigProblem(
            file: file, line: position.line, column: position.column,
            path: Self.written(path), message: message)
    }

    /// `mcpServers.git.durable.tools["a*"]`.
    static func written(_ path: [String]) -> String {
        path.reduce("") { result, key in
            if Int(key) != nil { return "\(result)[\(key)]" }
            if key.contains(/^[A-Za-z_$][A-Za-z0-9_\-]*$/) {
                return result.isEmpty ? key : "\(result).\(key)"
            }
            return "\(result)[\(JSONValue.string(key).text)]"
        }
    }
}

// MARK: Getters

extension ConfigReader {
    /// The members of an object; every key must be known.
    ///
    /// Keys in `later` will mean something one day, and are refused until then.
    mutating func object(
        _ node: Node, known: [String], later: [String] = []
    ) -> JSONObject? {
        guard let object = anyObject(node) else { return nil }
        for key in object.keys where !known.contains(key) {
            let path = node.path + [key]
            if later.contains(key) {
                error(path, "'\(key)' is not supported yet. Leave it out.")
            } else if let nearest = NearestName.of(key, among: known + later) {
                error(path, "'\(key)' is not known here. Did you mean '\(nearest)'?")
            } else {
                let list = known.map { "'\($0)'" }.joined(separator: ", ")
                error(path, "'\(key)' is not known here. Known are \(list).")
            }
        }
        return object
    }

    mutating func anyObject(_ node: Node) -> JSONObject? {
        guard let object = node.value.objectValue else {
            return wrong(node, "must be an object: { … }.")
        }
        return object
    }

    mutating func boolean(_ node: Node, _ key: String) -> Bool? {
        guard let member = node.member(key) else { return nil }
        return member.value.boolValue ?? wrong(member, "must be true or false.")
    }

    mutating func string(_ node: Node, _ key: String) -> String? {
        guard let member = node.member(key) else { return nil }
        return nonEmptyString(member)
    }

    mutating func nonEmptyString(_ node: Node) -> String? {
        guard let text = node.value.stringValue, !text.isEmpty else {
            return wrong(node, "must be a text that is not empty.")
        }
        return text
    }

    /// A list whose elements are texts, each not empty.
    mutating func strings(_ node: Node, _ key: String, mayBeEmpty: Bool = false) -> [String]? {
        guard let member = node.member(key) else { return nil }
        guard let elements = member.value.arrayValue else {
            return wrong(member, "must be a list of texts: [ … ].")
        }
        return elements.enumerated().compactMap { index, value in
            let element = Node(value: value, path: member.path + [String(index)])
            if mayBeEmpty, let text = value.stringValue { return text }
            return nonEmptyString(element)
        }
    }

    mutating func integer(_ node: Node, _ key: String, in range: ClosedRange<Int>) -> Int? {
        guard let member = node.member(key) else { return nil }
        guard let number = member.value.intValue, range.contains(number) else {
            return wrong(
                member,
                "must be a whole number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// A number of seconds, kept to the millisecond.
    mutating func seconds(_ node: Node, _ key: String, in range: ClosedRange<Double>) -> Duration? {
        guard let member = node.member(key) else { return nil }
        guard let number = member.value.numberValue?.doubleValue, range.contains(number) else {
            return wrong(
                member,
                "must be a number of seconds from \(range.lowerBound) to \(range.upperBound).")
        }
        return .milliseconds(Int64((number * 1000).rounded()))
    }

    /// One word of a closed list.
    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ node: Node, _ key: String, of type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        node.member(key).flatMap { choice($0, of: type) }
    }

    mutating func choice<Choice: RawRepresentable & CaseIterable>(
        _ node: Node, of type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        if let choice = node.value.stringValue.flatMap({ Choice(rawValue: $0) }) { return choice }
        let words = type.allCases.map(\.rawValue)
        let list = words.map { "\"\($0)\"" }.joined(separator: ", ")
        if let text = node.value.stringValue, let nearest = NearestName.of(text, among: words) {
            return wrong(node, "must be one of \(list). Did you mean \"\(nearest)\"?")
        }
        return wrong(node, "must be one of \(list).")
    }

    private mutating func wrong<Value>(_ node: Node, _ message: String) -> Value? {
        error(node.path, message)
        return nil
    }
}
