internal import FoundationEssentials
internal import OrderedJSON

/// What an operator has set: the store, the servers behind us, and who may come in.
public struct ServerConfig: Sendable {
    /// The largest config file that is read, in bytes.
    public static let bytesLimit = 4 << 20

    /// The store as it was written, or nil where the standard one is meant.
    public var store: String?
    /// The servers behind us, in the order of the file.
    public var upstreams: [UpstreamConfig] = []
    /// Who may come in, and as whom.
    public var access = AccessConfig()
    /// The groups of our tools that clients see.
    public var exposed = Set(ToolGroup.built)
    /// How much is let in.
    public var limits = LimitsConfig()
    /// What is odd, but does no harm; for the log.
    public var warnings: [ConfigProblem] = []
    /// The folder of the file, absolute, or nil where the config came from elsewhere.
    public var folder: String?

    /// What holds where there is no file: no upstreams, and only the local user comes in.
    public init() {}
}

/// Tools of ours that can be hidden together.
public enum ToolGroup: String, CaseIterable, Hashable, Sendable {
    /// `start_run` and what looks after runs.
    case runs
    /// `list_pending_approvals`, `approve` and `reject`.
    case approvals
    /// `export_audit`.
    case audit
    /// The knowledge graph.
    case graph
    /// The tools of the servers behind us.
    case proxy

    /// The groups that have tools by now.
    public static let built: [ToolGroup] = [.runs, .approvals, .audit, .proxy]
}

/// How much is let in.
public struct LimitsConfig: Hashable, Sendable {
    /// The largest request over HTTP, in bytes.
    public var bodyBytes = 4 << 20

    /// The limits that hold where nothing is set.
    public init() {}
}

extension ServerConfig {
    /// Reads a file.
    ///
    /// Values of `env` and `headers` are not looked up here, so a missing variable shows only
    /// when its server is started.
    ///
    /// - Throws: ``ConfigError``, with every problem there is.
    public init(path: String) throws(ConfigError) {
        // `fileExists` follows links, so a link to nothing is missing too.
        guard FileManager.default.fileExists(atPath: path) else { throw .missingFile(path) }
        let url = URL(filePath: path)
        let data: Data
        do {
            data = try Data(contentsOf: url)
        } catch {
            throw .unreadable(path, cause: error)
        }
        guard data.count <= Self.bytesLimit else {
            throw .tooLarge(path, limitBytes: Self.bytesLimit)
        }
        try self.init(parsing: Array(data), file: path)
        folder = url.standardizedFileURL.deletingLastPathComponent().path
    }

    /// Reads the text of a config: JSON, with comments and trailing commas.
    ///
    /// - Parameters:
    ///   - bytes: The text, UTF-8, with or without a byte order mark.
    ///   - file: Its name, for messages.
    /// - Throws: ``ConfigError``: `.invalid`, with every problem there is.
    public init(parsing bytes: [UInt8], file: String? = nil) throws(ConfigError) {
        // Some editors begin a file with a byte order mark; it says nothing here.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let bytes = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
        let text = JSONWithComments(bytes)
        let value: JSONValue
        do {
            value = try JSONValue(
                parsing: text.plain,
                limits: JSONLimits(depth: 64, bytes: Self.bytesLimit, values: 100_000))
        } catch {
            let position = JSONWithComments.position(of: error.offset, in: bytes)
            throw .invalid([
                ConfigProblem(
                    file: file, line: position.line, column: position.column, path: "",
                    message: "This is no JSON. \(error.message)")
            ])
        }
        var reader = ConfigReader(text: text, file: file)
        let config = reader.serverConfig(ConfigReader.Node(value: value, path: []))
        guard reader.errors.isEmpty, var config else { throw .invalid(reader.errors) }
        config.warnings = reader.warnings
        self = config
    }
}

extension ConfigReader {
    mutating func serverConfig(_ node: Node) -> ServerConfig? {
        guard
            object(
                node,
                known: [
                    "store", "mcpServers", "access", "expose", "limits", "agents", "keys",
                    "$schema", "servers", "inputs",
                ]) != nil
        else { return nil }
        var config = ServerConfig()
        if let text = string(node, "store") {
            do {
                _ = try StoreURL(parsing: text, relativeTo: "/", home: "/")
                config.store = text
            } catch {
                self.error(["store"], error.message)
            }
        }
        config.upstreams = upstreams(node)
        if let access = node.member("access") { config.access = accessConfig(access) }
        if let expose = node.member("expose") { config.exposed = exposed(expose) }
        if let limits = node.member("limits") { config.limits = limitsConfig(limits) }
        for (key, what) in [("agents", "Agents"), ("keys", "Keys for sealing")] {
            guard let section = node.member(key), let members = anyObject(section) else { continue }
            if !members.isEmpty {
                error([key], "\(what) are not supported yet. Leave '\(key)' out.")
            }
        }
        return config
    }

    private mutating func upstreams(_ node: Node) -> [UpstreamConfig] {
        // VS Code writes `servers`, and beside it `inputs` that it asks its user for.
        if node.value["servers"] != nil, node.value["mcpServers"] != nil {
            error(["servers"], "Write either 'mcpServers' or 'servers', not both.")
        }
        if node.value["inputs"] != nil {
            warning(["inputs"], "Nobody is asked for inputs here; use ${NAME} or ${secret:NAME}.")
        }
        guard let section = node.member("mcpServers") ?? node.member("servers"),
            let servers = anyObject(section)
        else { return [] }
        return servers.members.compactMap { member in
            upstream(
                named: member.key,
                Node(value: member.value, path: section.path + [member.key]))
        }
    }

    private mutating func exposed(_ node: Node) -> Set<ToolGroup> {
        var exposed = Set(ToolGroup.built)
        guard object(node, known: ToolGroup.allCases.map(\.rawValue)) != nil else { return exposed }
        for group in ToolGroup.allCases {
            guard let isExposed = boolean(node, group.rawValue) else { continue }
            if !isExposed {
                exposed.remove(group)
            } else if !ToolGroup.built.contains(group) {
                error(
                    node.path + [group.rawValue],
                    "The tools of '\(group.rawValue)' are not supported yet. Leave it out.")
            }
        }
        return exposed
    }

    private mutating func limitsConfig(_ node: Node) -> LimitsConfig {
        var limits = LimitsConfig()
        guard object(node, known: ["bodyBytes"]) != nil else { return limits }
        if let bytes = integer(node, "bodyBytes", in: 1024...(64 << 20)) {
            limits.bodyBytes = bytes
        }
        return limits
    }
}
