/// Who makes a call, as the transport has authenticated it.
///
/// A caller never names itself: what it says in arguments is checked against this.
public struct Principal: Hashable, Sendable {
    /// The stable name, never empty.
    ///
    /// `os:<login>`, `local`, or the principal of a token.
    public let id: String
    /// What it may do.
    public let roles: Set<Role>
    /// How surely the person behind it is known, and so which approvals it may decide.
    public let authLevel: AuthLevel
    /// Whether an answer to an elicitation over this connection counts as a person's.
    public let personBehindElicitation: Bool

    /// A principal of these parts.
    public init(
        id: String, roles: Set<Role>, authLevel: AuthLevel, personBehindElicitation: Bool = false
    ) {
        precondition(!id.isEmpty, "a principal has a name")
        self.id = id
        self.roles = roles
        self.authLevel = authLevel
        self.personBehindElicitation = personBehindElicitation
    }
}

extension Principal {
    /// Whether it holds `role`, directly or through `admin`.
    public func has(_ role: Role) -> Bool {
        roles.contains(role) || roles.contains(.admin)
    }

    /// Whether it sees what other principals do.
    public var seesEverything: Bool { has(.audit) }

    /// Whether it may see what `owner` started.
    public func maySee(runsOf owner: String) -> Bool {
        seesEverything || (id == owner && (has(.use) || has(.operate)))
    }
}

/// What a principal may do; each role stands for itself, but `admin` holds all of them.
public enum Role: String, CaseIterable, Hashable, Sendable {
    /// Starts runs and calls tools, and sees its own.
    case use
    /// Cancels, retries and signals its own runs too.
    case operate
    /// Decides approvals that are addressed to it.
    case approve
    /// Sees everything, and exports it.
    case audit
    /// Does everything, and sees everything.
    case admin
}

/// How surely the person behind a principal is known, weakest first.
public enum AuthLevel: String, CaseIterable, Hashable, Sendable {
    /// Nobody was asked.
    case anonymous
    /// Somebody has signed in, or is the local user.
    case session
    /// Somebody has just proved to hold a device's passcode, or an equal secret.
    case devicePasscode
    /// Somebody has just proved who they are by their body.
    case biometric
}

extension AuthLevel: Comparable {
    private var rank: Int {
        switch self {
        case .anonymous: 0
        case .session: 1
        case .devicePasscode: 2
        case .biometric: 3
        }
    }

    /// Whether `left` is the weaker one.
    public static func < (left: AuthLevel, right: AuthLevel) -> Bool { left.rank < right.rank }
}
