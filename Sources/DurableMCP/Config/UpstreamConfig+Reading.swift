internal import DurableEngine
internal import DurableSecurity
internal import OrderedJSON

extension ConfigReader {
    /// The keys of a server that are read here, in the form that clients use.
    private static let serverKeys = [
        "type", "command", "args", "env", "cwd", "url", "headers", "disabled", "durable",
    ]

    mutating func upstream(named name: String, _ node: Node) -> UpstreamConfig? {
        if name.wholeMatch(of: /[A-Za-z0-9\-]+(_[A-Za-z0-9\-]+)*/) == nil || name.count > 64 {
            error(
                node.path,
                "A server's name has letters, digits, '-' and single '_' inside, at most 64 "
                    + "characters: it becomes a part of tool names, before '__'.")
        }
        guard let server = anyObject(node) else { return nil }
        for key in server.keys where !Self.serverKeys.contains(key) {
            let nearest = NearestName.of(key, among: Self.serverKeys)
            let hint = nearest.map { " Did you mean '\($0)'?" } ?? ""
            warning(node.path + [key], "'\(key)' is not known here and has no effect.\(hint)")
        }
        let policy = node.member("durable").map { toolPolicy($0) } ?? ToolPolicy()
        guard let transport = transport(name, node) else { return nil }
        var config = UpstreamConfig(name: name, transport: transport, policy: policy)
        config.isEnabled = !(boolean(node, "disabled") ?? false)
        if case .http = transport, config.isEnabled {
            warning(
                node.path,
                "HTTP upstreams are not built yet: '\(name)' is left out, the others work.")
        }
        return config
    }

    private mutating func transport(_ name: String, _ node: Node) -> UpstreamConfig.Transport? {
        let type = string(node, "type")
        let isKnownType =
            type.map { ["stdio", "http", "streamable-http", "sse"].contains($0) } ?? true
        if !isKnownType {
            error(node.path + ["type"], "must be \"stdio\" or \"http\".")
        }
        switch (node.value["command"] != nil, node.value["url"] != nil) {
        case (true, true):
            error(node.path, "A server has either a 'command' or a 'url', not both.")
            return nil
        case (false, false):
            error(node.path, "A server needs a 'command' to start, or a 'url'.")
            return nil
        case (true, false):
            if let type, isKnownType, type != "stdio" {
                error(node.path + ["type"], "must be \"stdio\" for a server with a 'command'.")
            }
            return program(node).map { .stdio($0) }
        case (false, true):
            if type == "stdio" {
                error(node.path + ["type"], "must be \"http\" for a server with a 'url'.")
            }
            guard let url = secret(node, "url") else { return nil }
            return .http(url: url, headers: variables(node, "headers"))
        }
    }

    private mutating func program(_ node: Node) -> UpstreamConfig.Program? {
        var arguments: [SecretText] = []
        for (index, text) in (strings(node, "args", mayBeEmpty: true) ?? []).enumerated() {
            if let argument = secret(text, at: node.path + ["args", String(index)]) {
                arguments.append(argument)
            }
        }
        let environment = variables(node, "env")
        let folder = secret(node, "cwd")
        guard let command = secret(node, "command") else { return nil }
        return UpstreamConfig.Program(
            command: command, arguments: arguments, environment: environment,
            workingFolder: folder)
    }

    private mutating func variables(_ node: Node, _ key: String) -> [UpstreamConfig.Variable] {
        guard let section = node.member(key), let members = anyObject(section) else { return [] }
        return members.members.compactMap { member in
            let path = section.path + [member.key]
            let isName =
                key == "env"
                ? !member.key.isEmpty && !member.key.utf8.contains { $0 == 0x3D || $0 == 0 }
                : member.key.wholeMatch(of: /[!#$%&'*+.^_`|~0-9A-Za-z\-]+/) != nil
            guard isName else {
                error(path, "This cannot be the name of a \(key == "env" ? "variable" : "header").")
                return nil
            }
            guard let text = member.value.stringValue else {
                error(path, "must be a text.")
                return nil
            }
            return secret(text, at: path).map {
                UpstreamConfig.Variable(name: member.key, value: $0)
            }
        }
    }

    private mutating func secret(_ node: Node, _ key: String) -> SecretText? {
        string(node, key).flatMap { secret($0, at: node.path + [key]) }
    }

    private mutating func secret(_ text: String, at path: [String]) -> SecretText? {
        guard !text.utf8.contains(0) else {
            error(path, "must not contain the character NUL.")
            return nil
        }
        do {
            return try SecretText(parsing: text)
        } catch {
            self.error(path, error.message)
            return nil
        }
    }
}
