public import MCPProtocol
internal import Synchronization

/// What a server says about itself; not verified by anyone.
public struct UpstreamDescription: Sendable {
    /// The revision that is spoken with it.
    public let version: ProtocolVersion
    /// Its name and version, where it gave them.
    public let serverInfo: Implementation?
    /// What it offers.
    public let capabilities: ServerCapabilities
    /// What models should know about using it.
    public let instructions: String?
}

/// The client of one upstream server: it starts the server when it is first needed, finds out
/// which era it speaks, and starts it again after a crash.
///
/// Call ``close()`` when it is no longer needed; letting go of it does not end the server.
public actor UpstreamClient {
    private enum Link {
        case idle
        case starting(OneShot<Result<UpstreamConnection, UpstreamError>>)
        case ready(UpstreamConnection)
        case closed
    }

    /// How this server is treated.
    public nonisolated let configuration: UpstreamConfiguration

    let time: ClientTime
    var tools = ToolListCache()
    private let negotiator: Negotiator
    private let changes: ChangeCounter
    private var link = Link.idle
    private var starter: Task<Void, Never>?
    private var isKnownLegacy = false
    private var crashes = 0
    private var restsUntil = Duration.zero
    private var lastEnd = (reason: "", complaints: "")

    /// A client of a server that is run as a child process.
    public init(
        _ configuration: UpstreamConfiguration, running command: StdioServerCommand,
        time: ClientTime = .machine
    ) {
        self.init(configuration, time: time) {
            StdioTransport(command, of: configuration, time: time)
        }
    }

    /// A client of a server that is reached by the transports that `makeTransport` makes, a new
    /// one for each connection.
    package init(
        _ configuration: UpstreamConfiguration, time: ClientTime = .machine,
        makeTransport: @escaping @Sendable () -> any ClientTransport
    ) {
        self.configuration = configuration
        self.time = time
        let changes = ChangeCounter()
        self.changes = changes
        negotiator = Negotiator(
            configuration: configuration, time: time, makeTransport: makeTransport,
            onToolsChanged: {
                changes.increment()
                configuration.onToolsChanged()
            })
    }

    /// Starts the server if it does not run, and says what it is.
    public func connect() async throws(UpstreamError) -> UpstreamDescription {
        try await connection().description
    }

    /// Ends the server: closes its input, waits, and ends what is still there.
    ///
    /// Calls that still wait end with an unknown outcome; later ones are refused.
    public func close() async {
        let old = link
        link = .closed
        switch old {
        case .ready(let connection): await connection.session.transport.close()
        case .starting:
            starter?.cancel()
            await starter?.value
        case .idle, .closed: break
        }
    }

    /// The connection, made first where there is none.
    func connection() async throws(UpstreamError) -> UpstreamConnection {
        while true {
            switch link {
            case .closed: throw .closed(configuration, phase: .start)
            case .ready(let connection):
                guard let endedAt = connection.session.endedAt else { return connection }
                noteCrash(of: connection.session, at: endedAt)
                link = .idle
            case .starting(let start):
                guard let result = await start.value() else {
                    throw .cancelled(configuration, phase: .start)
                }
                return try result.get()
            case .idle:
                try await rest()
                // Another task may have gone ahead meanwhile.
                if case .idle = link { start() }
            }
        }
    }

    /// The number of times that the server said its tools changed, or was started.
    package var toolChanges: Int { changes.count }

    private func start() {
        let start = OneShot<Result<UpstreamConnection, UpstreamError>>()
        link = .starting(start)
        changes.increment()
        // All callers wait for one start, which so belongs to none of them, and goes on when
        // the first of them gives up. It ends by its own time-outs, or with `close()`.
        starter = Task {
            let result = await negotiator.connect(skippingProbe: isKnownLegacy)
            if case .closed = link {
                if case .success(let connection) = result {
                    await connection.session.transport.close()
                }
                start.fulfil(.failure(.closed(configuration, phase: .start)))
            } else {
                finishStart(result)
                start.fulfil(result)
            }
        }
    }

    private func finishStart(_ result: Result<UpstreamConnection, UpstreamError>) {
        switch result {
        case .success(let connection):
            link = .ready(connection)
            isKnownLegacy = !connection.description.version.isModern
        case .failure(let error):
            link = .idle
            // What was known about it may be why it failed.
            isKnownLegacy = false
            lastEnd = (error.message, error.standardError)
            countCrash(at: time.now())
        }
    }

    private func noteCrash(of session: ClientSession, at moment: Duration) {
        if moment - session.openedAt >= configuration.restart.stableAfter { crashes = 0 }
        lastEnd = (session.end?.reason ?? "", session.transport.complaints)
        countCrash(at: moment)
    }

    private func countCrash(at moment: Duration) {
        crashes += 1
        restsUntil = moment + configuration.restart.delay(afterCrashes: crashes)
    }

    /// Waits until the server may be started again, if that is not long; else says when.
    private func rest() async throws(UpstreamError) {
        let rest = restsUntil - time.now()
        guard rest > .zero else { return }
        guard rest <= configuration.restart.patience else {
            throw .resting(
                configuration, crashes: crashes, for: rest, last: lastEnd.reason,
                complaints: lastEnd.complaints)
        }
        do {
            try await time.sleep(rest)
        } catch {
            throw .cancelled(configuration, phase: .start)
        }
    }
}

/// Counts changes of the list of tools, from any thread.
final class ChangeCounter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    func increment() { value.withLock { $0 += 1 } }
}
