internal import Audit
internal import DurableEngine
internal import DurableLog
internal import LinuxPlatform
internal import OrderedJSON

/// Does what a command line asks for.
struct CommandBodies {
    let surroundings: Surroundings
    let output = CommandOutput()

    /// Runs a command and says how the program ends.
    func run(_ command: Command) async -> ExitCode {
        do {
            try await perform(command)
            return .done
        } catch {
            let failure = Self.failure(error)
            output.note("durable-mcp: \(failure.message)")
            return failure.code
        }
    }

    private func perform(_ command: Command) async throws {
        switch command {
        case .serve(let command):
            try await ServeBody(surroundings: surroundings, command: command).run()
        case .demo:
            try await DemoBody(surroundings: surroundings).run()
        case .listRuns(let command): try await RunCommands(surroundings: surroundings).list(command)
        case .showRun(let command): try await RunCommands(surroundings: surroundings).show(command)
        case .listApprovals(let command): try await approvals.list(command)
        case .approve(let command): try await approvals.approve(command)
        case .reject(let command): try await approvals.reject(command)
        case .createToken(let command): try await tokens.create(command)
        case .listTokens(let command): try await tokens.list(command)
        case .revokeToken(let command): try await tokens.revoke(command)
        case .auditTip(let command): try await audit.tip(command)
        case .verifyAudit(let command): try await audit.verify(command)
        case .exportAudit(let command): try await audit.export(command)
        case .acceptUpstream(let command):
            try await UpstreamCommands(surroundings: surroundings).accept(command)
        case .doctor(let command):
            try await DoctorBody(surroundings: surroundings, command: command).run()
        case .version(let command): try version(command)
        case .help(let text): try output.write(text)
        case .guardProcess:
            throw CommandFailure.usedWrongly("'__guard' is for durable-mcp itself.")
        }
    }

    private var approvals: ApprovalCommands { ApprovalCommands(surroundings: surroundings) }
    private var tokens: TokenCommands { TokenCommands(surroundings: surroundings) }
    private var audit: AuditCommands { AuditCommands(surroundings: surroundings) }

    private func version(_ command: VersionCommand) throws(CommandFailure) {
        if command.json {
            return try output.write([
                "name": "durable-mcp", "version": .string(ProductVersion.text),
            ])
        }
        try output.write("durable-mcp \(ProductVersion.text)\n")
    }

    /// The one place where errors of the parts below become words for the terminal.
    private static func failure(_ error: any Error) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: failure
        case let error as EngineError: CommandFailure(error.message)
        case let error as StoreError: CommandFailure(error.message)
        case let error as AuditError:
            error.code == .malformed
                ? .usedWrongly(error.message) : CommandFailure(error.message)
        default: CommandFailure("\(error)")
        }
    }
}
