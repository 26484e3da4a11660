internal import DurableEngine
internal import DurableMCP
internal import DurableSecurity
internal import OrderedJSON

/// The bodies of `token create`, `token list` and `token revoke`.
struct TokenCommands {
    let surroundings: Surroundings
    let output = CommandOutput()

    private var now: Int64 { SystemEngineClock().now() }

    func create(_ command: CreateTokenCommand) async throws {
        let access = try StoreAccess(command.common, surroundings)
        let principal = Principal(
            id: command.principal ?? surroundings.principal.id, roles: command.roles,
            authLevel: command.authLevel)
        let token = AccessToken.random()
        let kept = try await access.withMade { store in
            try await TokenStore(store: store).add(
                token, for: principal, identifiers: SystemIdentifiers(), now: now)
        }
        if command.json {
            var object = kept.json
            object["token"] = .string(token.text)
            return try output.write(object)
        }
        let roles = principal.roles.map(\.rawValue).sorted().joined(separator: ", ")
        output.note(
            """
            The token \(kept.id) stands for '\(SafeText.line(principal.id))' with the roles \
            \(roles), level \(principal.authLevel.rawValue).
            It is shown this once; only its hash is kept.
            """)
        try output.write(token.text + "\n")
    }

    func list(_ command: ListTokensCommand) async throws {
        let access = try StoreAccess(command.common, surroundings)
        let tokens = try await access.withExisting { try await TokenStore(store: $0).all() }
        if command.json {
            return try output.write(["tokens": .array(tokens.map { .object($0.json) })])
        }
        if tokens.isEmpty { return output.note("No tokens.") }
        var table = TextTable("TOKEN", "PRINCIPAL", "ROLES", "LEVEL", "CREATED", "STATE")
        for token in tokens {
            table.add(
                token.id, token.principal.id,
                token.principal.roles.map(\.rawValue).sorted().joined(separator: ","),
                token.principal.authLevel.rawValue, Timestamp(milliseconds: token.createdAt).text,
                token.revokedAt == nil ? "good" : "revoked")
        }
        try output.write(table.text)
    }

    func revoke(_ command: RevokeTokenCommand) async throws {
        let access = try StoreAccess(command.common, surroundings)
        let token = try await access.withExisting { store in
            try await TokenStore(store: store).revoke(command.tokenID, now: now)
        }
        guard let token else {
            throw CommandFailure(
                """
                There is no token '\(command.tokenID)' in this store. 'durable-mcp token list' \
                shows those there are.
                """)
        }
        if command.json { return try output.write(token.json) }
        try output.write("\(token.id) is revoked.\n")
    }
}
