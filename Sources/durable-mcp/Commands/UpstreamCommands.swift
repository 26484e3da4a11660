internal import DurableMCP
internal import OrderedJSON

/// The body of `upstream accept`.
struct UpstreamCommands {
    let surroundings: Surroundings
    let output = CommandOutput()

    func accept(_ command: AcceptUpstreamCommand) async throws {
        let access = try StoreAccess(command.common, surroundings)
        let servers = access.config.upstreams.map(\.name)
        // A server whose definition is elsewhere can be accepted too, so no config, no check.
        guard servers.isEmpty || servers.contains(command.server) else {
            throw CommandFailure(
                """
                The config names no server '\(command.server)'. It names: \
                \(servers.map { "'\($0)'" }.joined(separator: ", ")).
                """)
        }
        let names = try await access.withExisting { store in
            try await CatalogueStore(store: store).accept(
                upstream: command.server, tool: command.tool, now: SystemEngineClock().now())
        }
        guard !names.isEmpty else {
            throw CommandFailure(
                """
                There is nothing to accept: this store knows of no change in \
                \(command.tool.map { "the tool '\($0)'" } ?? "the tools") of the server \
                '\(command.server)'. 'durable-mcp doctor' shows what servers offer now.
                """)
        }
        if command.json {
            return try output.write(["accepted": .array(names.map { .string($0) })])
        }
        for name in names { try output.write("\(SafeText.line(name)) is in use again.\n") }
    }
}
