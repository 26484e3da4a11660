internal import LinuxPlatform
internal import MCPProtocol
internal import Synchronization

/// How to run one server as a child process that speaks over its standard streams.
public struct StdioServerCommand: Sendable {
    /// The command's name, looked up in the child's `PATH`, or its path.
    public var command: String
    /// Its arguments, without its own name; no shell sees them.
    public var arguments: [String]
    /// What is added to the minimal environment, with secrets resolved.
    public var environment: [String: String]
    /// Its working directory; nil for ours.
    public var workingDirectory: String?
    /// An executable that runs as the guard of children; nil for the one running now.
    public var guardPath: String?
    /// How long it has to end by itself once its input is closed.
    public var exitPatience: Duration = .seconds(2)
    /// How long it has between SIGTERM and SIGKILL.
    public var terminationGrace: Duration = .seconds(3)
    /// The most bytes that one message of it may have.
    public var maximumMessageBytes = 16 << 20

    /// A command of these parts.
    public init(
        command: String, arguments: [String] = [], environment: [String: String] = [:],
        workingDirectory: String? = nil, guardPath: String? = nil
    ) {
        self.command = command
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.guardPath = guardPath
    }
}

/// A connection to a server that is a child process of ours: one JSON message a line.
///
/// Source: 2026-07-28 stdio.
final class StdioTransport: ClientTransport, ChildObserver {
    private struct State {
        var child: ChildProcess?
        var events: (any ClientTransportEvents)?
        var complaints = ComplaintTail()
    }

    private let command: StdioServerCommand
    private let upstream: String
    private let time: ClientTime
    private let scrub: @Sendable (String) -> String
    private let log: @Sendable (UpstreamLogLine) -> Void
    private let state = Mutex(State())
    /// Only the child's thread uses it, so the lock is never waited for.
    private let framer: Mutex<LineFramer>
    private let end = OneShot<Void>()

    init(
        _ command: StdioServerCommand, of configuration: UpstreamConfiguration, time: ClientTime
    ) {
        self.command = command
        self.time = time
        upstream = configuration.name
        scrub = configuration.scrub
        log = configuration.log
        framer = Mutex(LineFramer(limitBytes: command.maximumMessageBytes))
    }

    func open(_ events: any ClientTransportEvents) {
        state.withLock { $0.events = events }
        let child = ChildCommand(
            command: command.command, arguments: command.arguments,
            environment: ChildEnvironment.minimal(adding: command.environment),
            workingDirectory: command.workingDirectory,
            guardPath: command.guardPath ?? ChildCommand.ownExecutable,
            grace: command.terminationGrace)
        do throws(LinuxError) {
            let started = try ChildProcess.start(child, observer: self)
            state.withLock { $0.child = started }
        } catch {
            finish(
                TransportEnd(
                    neverStarted: true, isRetryable: error.code == .exhausted,
                    reason: "it could not be started: \(error.message)"))
        }
    }

    func send(_ message: OutgoingMessage) -> Bool {
        state.withLock(\.child)?.write(message.bytes + [10], number: message.number) ?? false
    }

    func withdraw(_ number: UInt64) -> Bool {
        state.withLock(\.child)?.withdraw(number) ?? true
    }

    func close() async {
        guard let child = state.withLock(\.child) else { return }
        // A caller that is cancelled still waits until the server is gone, so this is no child
        // task of its; the guard kills what does not go, and so it has an end.
        await Task {
            child.closeInput()
            if await end.value(within: command.exitPatience, of: time) == nil {
                child.terminate()
            }
            await end.value()
        }.value
    }

    var complaints: String { state.withLock(\.complaints.text) }
}

extension StdioTransport {
    func childStarted(process: Int32) {}

    func childWrote(_ bytes: [UInt8]) {
        guard let events = state.withLock(\.events) else { return }
        for line in framer.withLock({ $0.append(bytes) }) {
            switch line {
            case .whole(let bytes): events.received(bytes)
            case .tooLong(let head):
                events.receivedTooMuch(head: head, limitBytes: command.maximumMessageBytes)
            }
        }
    }

    func childComplained(_ bytes: [UInt8]) {
        tell(state.withLock { $0.complaints.append(bytes, scrub: scrub) })
    }

    func childEnded(_ exit: ChildExit, unsent: Set<UInt64>) {
        tell(state.withLock { $0.complaints.finish(scrub: scrub).map { [$0] } ?? [] })
        finish(TransportEnd(exit, command: command, unsent: unsent))
    }

    private func tell(_ lines: [String]) {
        for line in lines {
            log(UpstreamLogLine(upstream: upstream, source: .standardError, text: line))
        }
    }

    private func finish(_ end: TransportEnd) {
        let events = state.withLock { state in
            defer { state.events = nil }
            return state.events
        }
        events?.ended(end)
        self.end.fulfil(())
    }
}

extension TransportEnd {
    /// The end of a child process, in words that name the command but not its arguments.
    init(_ exit: ChildExit, command: StdioServerCommand, unsent: Set<UInt64>) {
        switch exit {
        case .exited(let code): self.init(reason: "it exited with code \(code)")
        case .signalled(let signal): self.init(reason: "signal \(signal) ended it")
        case .guardLost: self.init(reason: "its guard process was killed, and it with it")
        case .notStarted(let number, .workingDirectory):
            let folder = command.workingDirectory ?? ""
            let problem = LinuxError.call("enter its working directory '\(folder)'", number: number)
            self.init(neverStarted: true, isRetryable: false, reason: problem.message)
        case .notStarted(let number, _):
            let problem = LinuxError.call("run '\(command.command)'", number: number)
            let advice =
                problem.code == .notFound && !command.command.contains("/")
                ? " Install it, or give its path as 'command'; PATH was searched." : ""
            self.init(
                neverStarted: true, isRetryable: problem.code == .exhausted,
                reason: problem.message + advice)
        }
        self.unsent = unsent
    }
}
