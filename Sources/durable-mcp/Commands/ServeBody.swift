internal import DurableEngine
internal import DurableLog
internal import DurableMCP
internal import DurableSecurity
internal import LinuxPlatform
internal import MCPServer
internal import OrderedJSON

/// The body of `serve`.
struct ServeBody {
    let surroundings: Surroundings
    let command: ServeCommand
    let output = CommandOutput()

    /// Serves until the client has gone, or a signal asks for the end.
    ///
    /// Signals must be held by ``EndSignals/hold()`` before.
    func run() async throws {
        let crashPoint = try command.failpoint.map(CrashPoint.parse)
        let access = try StoreAccess(command.common, surroundings)
        let secrets = surroundings.secrets(access.config)
        let log = try LineLog(scrubber: access.config.scrubber(secrets))
        do {
            let store = try await access.open()
            var options = DurableMCPServer.Options(
                secrets: secrets, version: ProductVersion.text)
            options.log = { log.add($0) }
            if let crashPoint {
                options.engine.atFailpoint = { crashPoint.pass($0, $1) }
            }
            let server = try await DurableMCPServer.open(
                config: access.config, store: store, options: options)
            try EndSignals.watch { signal in
                log.add("\(signal): finishing what is under way; a second one ends at once.")
                server.stop()
            }
            log.add("durable-mcp \(ProductVersion.text) works on the store \(access.url).")
            try await serve(server, store, access.config, log)
            log.add("Stopped: every run is at a safe point.")
        } catch {
            await log.close()
            throw error
        }
        await log.close()
    }

    private func serve(
        _ server: DurableMCPServer, _ store: any EventStore, _ config: ServerConfig, _ log: LineLog
    ) async throws {
        switch command.transport {
        case .stdio:
            try await server.serveStdio(
                as: config.access.stdio.principal(login: surroundings.login))
        case .http(let address):
            let tokens = TokenStore(store: store)
            let entrance = BearerAuthenticator(configured: config.access.tokens, stored: tokens) {
                log.add($0, level: .error)
            }
            let isOpen = command.isOpen
            try await server.serveHTTP(
                at: address.numeric.description,
                onListening: { port in
                    let greeting = Greeting(
                        address: ListenAddress(host: address.host, port: port), isOpen: isOpen,
                        hasConfiguredTokens: !config.access.tokens.isEmpty, tokens: tokens,
                        principal: surroundings.principal.id, output: output)
                    // The server goes on meanwhile: nobody can come in before the token is kept.
                    Task { await greeting.show(log) }
                },
                authenticate: { headers in
                    isOpen
                        ? .allowed(.withoutAuthentication) : await entrance.authenticate(headers)
                })
        }
    }
}

/// What a server over HTTP says first: the configuration to paste into a client, with a token if
/// there was none.
private struct Greeting: Sendable {
    let address: ListenAddress
    let isOpen: Bool
    let hasConfiguredTokens: Bool
    let tokens: TokenStore
    /// Whom a token that is made here stands for.
    let principal: String
    let output: CommandOutput

    func show(_ log: LineLog) async {
        do {
            let token = isOpen ? nil : try await token()
            output.note("Serving \(url). Paste this into your client's configuration:")
            try output.write(clientConfig(token: token))
            if isOpen {
                output.note(
                    """
                    WARNING: --no-auth asks for no token. Every user and every program on this \
                    machine can come in and call every tool.
                    """)
            } else if token == nil {
                output.note(
                    """
                    There are tokens already, and they are not shown again. Put yours where \
                    ${DURABLE_MCP_TOKEN} stands, or make another: durable-mcp token create
                    """)
            } else {
                output.note("The token is shown this once; only its hash is kept.")
            }
        } catch {
            log.add("Cannot show how to connect: \(error)", level: .error)
        }
    }

    /// A new token where nobody could come in otherwise.
    private func token() async throws -> String? {
        if hasConfiguredTokens { return nil }
        if try await tokens.all().contains(where: { $0.revokedAt == nil }) { return nil }
        let token = AccessToken.random()
        _ = try await tokens.add(
            token,
            for: Principal(id: principal, roles: [.use, .operate], authLevel: .session),
            identifiers: SystemIdentifiers(), now: SystemEngineClock().now())
        return token.text
    }

    private var url: String {
        var shown = address
        if ["0.0.0.0", "::"].contains(shown.host) { shown.host = "127.0.0.1" }
        return "http://\(shown)/mcp"
    }

    private func clientConfig(token: String?) -> JSONObject {
        var server: JSONObject = ["type": "http", "url": .string(url)]
        if !isOpen {
            server["headers"] = [
                "Authorization": .string("Bearer \(token ?? "${DURABLE_MCP_TOKEN}")")
            ]
        }
        return ["mcpServers": ["durable": .object(server)]]
    }
}

extension ListenAddress {
    /// The same with `localhost` as a number, since nothing is looked up.
    fileprivate var numeric: ListenAddress {
        host == "localhost" ? ListenAddress(host: "127.0.0.1", port: port) : self
    }
}

extension ServerConfig {
    /// Knows every secret of the configuration that can be resolved now.
    func scrubber(_ secrets: SecretSource) -> Scrubber {
        var scrubber = Scrubber()
        for upstream in upstreams where upstream.isEnabled {
            guard case .stdio(let program) = upstream.transport,
                // What cannot be resolved is said when the server is started.
                let resolved = try? program.resolved(from: secrets)
            else { continue }
            scrubber.add(contentsOf: resolved.scrubber)
        }
        return scrubber
    }
}
