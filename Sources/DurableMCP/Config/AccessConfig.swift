public import DurableSecurity
internal import OrderedJSON

/// Who may come in, and as whom.
public struct AccessConfig: Sendable {
    /// Who is at the other end of standard input and output.
    public var stdio = StdioAccess()
    /// Tokens that are accepted beside those in the store.
    public var tokens: [TokenAccess] = []
    /// Values of `Host` that are accepted beside the address that is served.
    public var allowedHosts: [String] = []
    /// Values of `Origin` that are accepted beside the address that is served.
    public var allowedOrigins: [String] = []

    /// The local user over stdio, and no tokens.
    public init() {}
}

/// Who is at the other end of standard input and output.
public struct StdioAccess: Hashable, Sendable {
    /// The name, or nil for `os:` and the login name.
    public var principal: String?
    /// What they may do.
    public var roles: Set<Role> = [.use, .operate]
    /// How surely they are known.
    public var authLevel = AuthLevel.session
    /// Whether a person answers what the client is asked.
    public var personBehindElicitation = false

    /// The local user.
    public init() {}

    /// The principal, where `login` is the name of the operating system's user.
    public func principal(login: String) -> Principal {
        Principal(
            id: principal ?? "os:\(login)", roles: roles, authLevel: authLevel,
            personBehindElicitation: personBehindElicitation)
    }
}

/// Who comes in with a token.
public struct TokenAccess: Hashable, Sendable {
    /// The principal it stands for.
    public var principal: Principal
    /// The hash by which the token is known.
    public var hash: TokenHash

    /// A token of these parts.
    public init(principal: Principal, hash: TokenHash) {
        self.principal = principal
        self.hash = hash
    }
}

extension Sequence<TokenAccess> {
    /// Who comes in with `token`, or nil for nobody; takes as long for a wrong token as for any.
    public func principal(for token: String) -> Principal? {
        let offered = TokenHash(of: token)
        var found: Principal?
        // No early end: the time must not tell which entry matched.
        for entry in self where entry.hash.isEqual(to: offered) { found = found ?? entry.principal }
        return found
    }
}

extension Principal {
    /// Everybody on this machine, where nothing is asked of them.
    public static let withoutAuthentication = Principal(
        id: "local", roles: [.use, .operate], authLevel: .session)

    /// The operating system's user at the command line, who can write the store anyway.
    public static func commandLine(login: String) -> Principal {
        Principal(id: "os:\(login)", roles: [.admin], authLevel: .session)
    }
}

extension ConfigReader {
    mutating func accessConfig(_ node: Node) -> AccessConfig {
        var access = AccessConfig()
        let later = ["oauth", "tls", "approvers"]
        guard
            object(
                node, known: ["stdio", "tokens", "allowedHosts", "allowedOrigins"], later: later)
                != nil
        else { return access }
        if let stdio = node.member("stdio") { access.stdio = stdioAccess(stdio) }
        if let tokens = node.member("tokens") { access.tokens = tokenAccess(tokens) }
        access.allowedHosts = strings(node, "allowedHosts") ?? []
        access.allowedOrigins = strings(node, "allowedOrigins") ?? []
        return access
    }

    private static let principalKeys = [
        "principal", "roles", "authLevel", "personBehindElicitation",
    ]

    private mutating func stdioAccess(_ node: Node) -> StdioAccess {
        var stdio = StdioAccess()
        guard object(node, known: Self.principalKeys) != nil else { return stdio }
        stdio.principal = string(node, "principal")
        stdio.roles = roles(node) ?? stdio.roles
        stdio.authLevel = choice(node, "authLevel", of: AuthLevel.self) ?? stdio.authLevel
        stdio.personBehindElicitation = boolean(node, "personBehindElicitation") ?? false
        return stdio
    }

    private mutating func tokenAccess(_ node: Node) -> [TokenAccess] {
        guard let elements = node.value.arrayValue else {
            error(node.path, "must be a list of objects: [ { … } ].")
            return []
        }
        var tokens: [TokenAccess] = []
        for (index, value) in elements.enumerated() {
            let entry = Node(value: value, path: node.path + [String(index)])
            guard object(entry, known: Self.principalKeys + ["tokenHash"]) != nil else { continue }
            for key in ["principal", "tokenHash"] where entry.value[key] == nil {
                error(entry.path, "'\(key)' is missing.")
            }
            let roles = roles(entry) ?? [.use, .operate]
            let level = choice(entry, "authLevel", of: AuthLevel.self) ?? .session
            let isPerson = boolean(entry, "personBehindElicitation") ?? false
            let name = string(entry, "principal")
            guard let text = string(entry, "tokenHash"), let name else { continue }
            do {
                let hash = try TokenHash(parsing: text)
                if tokens.contains(where: { $0.hash == hash }) {
                    error(entry.path + ["tokenHash"], "This token stands here twice.")
                }
                let principal = Principal(
                    id: name, roles: roles, authLevel: level, personBehindElicitation: isPerson)
                tokens.append(TokenAccess(principal: principal, hash: hash))
            } catch {
                self.error(entry.path + ["tokenHash"], error.message)
            }
        }
        return tokens
    }

    private mutating func roles(_ node: Node) -> Set<Role>? {
        guard let member = node.member("roles") else { return nil }
        guard let elements = member.value.arrayValue else {
            error(member.path, "must be a list of roles: [ … ].")
            return nil
        }
        var roles: Set<Role> = []
        for (index, value) in elements.enumerated() {
            let element = Node(value: value, path: member.path + [String(index)])
            if let role = choice(element, of: Role.self) { roles.insert(role) }
        }
        return roles
    }
}
