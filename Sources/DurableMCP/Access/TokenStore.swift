public import DurableEngine
public import DurableLog
public import DurableSecurity
package import OrderedJSON

/// A token that was made with `token create`, without what it is.
public struct StoredToken: Hashable, Sendable {
    /// What it is called by: `tok_` and 26 random base32 characters.
    public var id: String
    /// Whom it stands for.
    public var principal: Principal
    /// When it was made, in milliseconds since 1970.
    public var createdAt: Int64
    /// When it was made useless, or nil where it is good.
    public var revokedAt: Int64?
}

/// The tokens that a store keeps, each as its hash alone.
public struct TokenStore: Sendable {
    /// The table it needs in a store.
    public static let table = TableSchema(
        "tokens",
        columns: [
            .init("tokenId", .text), .init("hash", .text), .init("principal", .text),
            .init("roles", .text), .init("authLevel", .text),
            .init("personBehindElicitation", .integer), .init("createdAt", .integer),
            .init("revokedAt", .integer),
        ],
        primaryKey: ["tokenId"], indexes: [["hash"], ["createdAt", "tokenId"]],
        isProjection: false)

    private static let listLimit = 10_000

    private let store: any EventStore

    /// The tokens of a store that was opened with ``table``.
    public init(store: any EventStore) { self.store = store }

    /// Keeps a new token's hash.
    ///
    /// - Parameters:
    ///   - token: The token, which is not kept.
    ///   - principal: Whom it stands for.
    ///   - identifiers: Where its id comes from.
    ///   - now: Milliseconds since 1970.
    /// - Returns: What is kept.
    /// - Throws: `StoreError` where it cannot be written.
    public func add(
        _ token: AccessToken, for principal: Principal, identifiers: any IdentifierSource,
        now: Int64
    ) async throws(StoreError) -> StoredToken {
        let kept = StoredToken(
            id: "tok_" + identifiers.next(), principal: principal, createdAt: now)
        let roles = principal.roles.map(\.rawValue).sorted().joined(separator: " ")
        try await store.commit(
            Commit(writes: [
                .insert(
                    table: Self.table.name,
                    row: [
                        "tokenId": .text(kept.id), "hash": .text(token.hash.text),
                        "principal": .text(principal.id), "roles": .text(roles),
                        "authLevel": .text(principal.authLevel.rawValue),
                        "personBehindElicitation": .integer(
                            principal.personBehindElicitation ? 1 : 0),
                        "createdAt": .integer(now),
                    ])
            ]))
        return kept
    }

    /// Every token, oldest first, revoked ones too.
    public func all() async throws(StoreError) -> [StoredToken] {
        try await store.rows(
            TableQuery(
                Self.table.name, orderBy: ["createdAt", "tokenId"], limit: Self.listLimit)
        ).compactMap(StoredToken.init)
    }

    /// Makes a token useless; nil where there is none of this id.
    public func revoke(_ id: String, now: Int64) async throws(StoreError) -> StoredToken? {
        guard var token = try await row("tokenId", id).flatMap(StoredToken.init) else {
            return nil
        }
        guard token.revokedAt == nil else { return token }
        token.revokedAt = now
        try await store.commit(
            Commit(writes: [
                .update(
                    table: Self.table.name, key: ["tokenId": .text(id)],
                    set: ["revokedAt": .integer(now)])
            ]))
        return token
    }

    /// Whom a token stands for, or nil where it is none of these, or revoked.
    ///
    /// It is looked up by its hash, so the time it takes tells nothing of other tokens.
    public func principal(for token: String) async throws(StoreError) -> Principal? {
        guard let row = try await row("hash", TokenHash(of: token).text),
            let found = StoredToken(row), found.revokedAt == nil
        else { return nil }
        return found.principal
    }

    private func row(_ column: String, _ value: String) async throws(StoreError) -> Row? {
        try await store.rows(
            TableQuery(Self.table.name, where: [column: .equals(.text(value))], limit: 1)
        ).first
    }
}

extension StoredToken {
    fileprivate init?(_ row: Row) {
        guard case .text(let id) = row["tokenId"], case .text(let name) = row["principal"],
            case .text(let roles) = row["roles"], case .text(let level) = row["authLevel"],
            let level = AuthLevel(rawValue: level), case .integer(let createdAt) = row["createdAt"]
        else { return nil }
        let principal = Principal(
            id: name,
            roles: Set(roles.split(separator: " ").compactMap { Role(rawValue: String($0)) }),
            authLevel: level, personBehindElicitation: row["personBehindElicitation"] == .integer(1)
        )
        self.init(id: id, principal: principal, createdAt: createdAt)
        if case .integer(let time) = row["revokedAt"] { revokedAt = time }
    }

    /// For listings.
    package var json: JSONObject {
        var object: JSONObject = [
            "tokenId": .string(id), "principal": .string(principal.id),
            "roles": .array(principal.roles.map(\.rawValue).sorted().map { .string($0) }),
            "authLevel": .string(principal.authLevel.rawValue),
            "createdAt": .string(Timestamp(milliseconds: createdAt).text),
        ]
        object["revokedAt"] = revokedAt.map { .string(Timestamp(milliseconds: $0).text) }
        return object
    }
}
