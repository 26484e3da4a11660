public import MCPProtocol

/// How to treat one upstream server, whatever carries its messages.
public struct UpstreamConfiguration: Sendable {
    /// Its name in our configuration; it appears in every error.
    public var name: String
    /// What we call ourselves towards it.
    public var clientInfo: Implementation
    /// How long the answer to `server/discover` may take before the server counts as legacy.
    public var probeTimeout: Duration = .seconds(5)
    /// How long the answer to `initialize` may take.
    public var startTimeout: Duration = .seconds(60)
    /// How long each page of `tools/list` may take.
    public var listTimeout: Duration = .seconds(30)
    /// How many pages of `tools/list` are read before the list counts as endless.
    public var maximumPages = 100
    /// How many tools a server may have.
    public var maximumTools = 2_000
    /// How many requests may wait for an answer at once.
    public var maximumInFlight = 1_024
    /// How long the list of a legacy server, which gives no time of its own, is kept.
    public var legacyListLifetime: Duration = .seconds(300)
    /// How long an answer is still taken after its caller gave up.
    public var cancellationGrace: Duration = .seconds(1)
    /// When a server that crashed is started again.
    public var restart = RestartPolicy()
    /// Takes known secrets out of a text.
    public var scrub: @Sendable (String) -> String = { $0 }
    /// Hears what the server says outside the protocol, on the connection's thread.
    public var log: @Sendable (UpstreamLogLine) -> Void = { _ in }
    /// Hears that the list of tools has changed, on the connection's thread.
    public var onToolsChanged: @Sendable () -> Void = {}

    /// The defaults, for a server of this name.
    public init(name: String, clientInfo: Implementation) {
        self.name = name
        self.clientInfo = clientInfo
    }
}

/// One line that is worth a log entry; free of known secrets.
public struct UpstreamLogLine: Hashable, Sendable {
    /// Where it comes from.
    public enum Source: Hashable, Sendable {
        /// The server wrote it to its standard error.
        case standardError
        /// The client noticed something odd about the server.
        case client
    }

    /// The server's name in our configuration.
    public let upstream: String
    /// Where it comes from.
    public let source: Source
    /// The line, without its newline, at most 8 KiB.
    public let text: String
}

/// When a server that crashed is started again.
public struct RestartPolicy: Hashable, Sendable {
    /// The rest after the second crash in a row; it doubles with each more.
    ///
    /// After the first there is none.
    public var firstDelay: Duration = .milliseconds(500)
    /// The longest rest.
    public var maximumDelay: Duration = .seconds(30)
    /// A server that ran this long has not crashed "in a row".
    public var stableAfter: Duration = .seconds(10)
    /// A call waits for the end of a rest up to this long; else it is told to come back.
    public var patience: Duration = .seconds(2)

    /// The defaults.
    public init() {}

    /// The rest after this many crashes in a row.
    func delay(afterCrashes crashes: Int) -> Duration {
        guard crashes > 1 else { return .zero }
        return min(maximumDelay, firstDelay * (1 << min(crashes - 2, 20)))
    }
}
