internal import DurableSecurity

/// What the command line asks for.
enum Command: Equatable {
    case serve(ServeCommand)
    case demo(DemoCommand)
    case listRuns(ListRunsCommand)
    case showRun(ShowRunCommand)
    case listApprovals(ListApprovalsCommand)
    case approve(ApproveCommand)
    case reject(RejectCommand)
    case createToken(CreateTokenCommand)
    case listTokens(ListTokensCommand)
    case revokeToken(RevokeTokenCommand)
    case auditTip(AuditTipCommand)
    case verifyAudit(VerifyAuditCommand)
    case exportAudit(ExportAuditCommand)
    case acceptUpstream(AcceptUpstreamCommand)
    case doctor(DoctorCommand)
    case version(VersionCommand)
    /// Shows a text and ends.
    case help(text: String)
    /// What we start ourselves between us and an upstream; its arguments are our own.
    case guardProcess(arguments: [String])
}

/// Where the store and the config are; accepted by every command.
struct CommonOptions: Equatable {
    /// The config file, or nil for none.
    var config: String?
    /// The store's URL, over what the config says; nil for that, or the standard store.
    var store: String?
}

struct ServeCommand: Equatable {
    enum Transport: Equatable {
        case stdio
        case http(ListenAddress)
    }

    var common = CommonOptions()
    var transport: Transport
    /// Whether everybody on this machine may come in.
    var isOpen = false
    /// For tests: where to crash.
    var failpoint: String?
}

struct DemoCommand: Equatable {
    var common = CommonOptions()
}

struct ListRunsCommand: Equatable {
    var common = CommonOptions()
    var status: String?
    var limit = 50
    /// Where the page before ended.
    var cursor: String?
    var json = false
}

struct ShowRunCommand: Equatable {
    var common = CommonOptions()
    var runID: String
    var json = false
}

struct ListApprovalsCommand: Equatable {
    var common = CommonOptions()
    var limit = 50
    /// Where the page before ended.
    var cursor: String?
    var json = false
}

struct ApproveCommand: Equatable {
    var common = CommonOptions()
    var approvalID: String
    /// For an unknown outcome: the result of the call, as JSON.
    var output: String?
    /// A file with the token of the one who approves; nil for the local user.
    var tokenFile: String?
    var json = false
}

struct RejectCommand: Equatable {
    var common = CommonOptions()
    var approvalID: String
    var reason: String?
    /// A file with the token of the one who rejects; nil for the local user.
    var tokenFile: String?
    var json = false
}

struct CreateTokenCommand: Equatable {
    var common = CommonOptions()
    /// The principal it stands for; nil for the local user's own.
    var principal: String?
    var roles: Set<Role> = [.use, .operate]
    var authLevel = AuthLevel.session
    var json = false
}

struct ListTokensCommand: Equatable {
    var common = CommonOptions()
    var json = false
}

struct RevokeTokenCommand: Equatable {
    var common = CommonOptions()
    var tokenID: String
    var json = false
}

struct AuditTipCommand: Equatable {
    var common = CommonOptions()
    var json = false
}

struct VerifyAuditCommand: Equatable {
    var common = CommonOptions()
    /// A tip that was noted before, and that the log must still contain.
    var expectedTip: String?
    var json = false
}

struct ExportAuditCommand: Equatable {
    enum Format: String, CaseIterable { case jsonl, csv }

    var common = CommonOptions()
    var format = Format.jsonl
    var runID: String?
    /// RFC 3339.
    var since: String?
    /// RFC 3339.
    var until: String?
    /// The file to write, or nil for standard output.
    var file: String?
}

struct AcceptUpstreamCommand: Equatable {
    var common = CommonOptions()
    /// The server's name in the config.
    var server: String
    /// One tool alone; nil for all that have changed.
    var tool: String?
    var json = false
}

struct DoctorCommand: Equatable {
    var common = CommonOptions()
    var json = false
}

struct VersionCommand: Equatable {
    var json = false
}
