internal import CLinux

/// What a guard process knows of its child, and the loop that ends both.
struct GuardedChild {
    private let grace: Duration
    private var leader: pid_t = -1
    private var lifelineOpen = true
    /// When the next round of SIGKILL is due; nil before the end has begun.
    private var killAt: ContinuousClock.Instant?

    init(grace: Duration) { self.grace = grace }

    /// Starts the command, waits for its end or ours, and returns when no descendant is left.
    mutating func run(_ words: [String], environment: [String], in folder: String) -> Int32 {
        let signals = Self.takeSignals()
        // Orphaned grandchildren become our children, so that none escapes by leaving the group.
        _ = durable_adopt_orphans()
        guard folder.isEmpty || chdir(folder) == 0 else {
            return report(.ended(.notStarted(durable_errno(), about: .workingDirectory)))
        }
        let search = environment.first { $0.hasPrefix("PATH=") }?.dropFirst(5)
        switch Self.find(words[0], path: search.map(String.init)) {
        case .failure(let failure):
            return report(.ended(.notStarted(failure.number, about: .command)))
        case .success(let path):
            let request = Spawn.Request(
                path: path, arguments: words, environment: environment, descriptors: [0, 1, 2])
            switch Spawn.start(request) {
            case .failure(let failure):
                return report(.ended(.notStarted(failure.number, about: .command)))
            case .success(let process):
                leader = process
                report(.started(process))
            }
        }
        Self.letGoOfStandardStreams()
        return watch(signals: signals)
    }

    private mutating func watch(signals: Int32) -> Int32 {
        var polled = [
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            pollfd(fd: GuardProcess.lifeline, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            polled[1].fd = lifelineOpen ? GuardProcess.lifeline : -1
            let ready = poll(&polled, 2, millisecondsToKill())
            if ready > 0, polled[0].revents != 0, Self.endIsAsked(by: signals) { beginEnd() }
            if ready > 0, lifelineOpen, polled[1].revents != 0 { readLifeline() }
            if reapAll() { return 0 }
            if let killAt, killAt <= .now {
                signalAll(SIGKILL)
                // Descendants that appear meanwhile get the next round.
                self.killAt = .now + .milliseconds(50)
            }
        }
    }

    /// Collects every child that has ended; true when there is none left.
    private mutating func reapAll() -> Bool {
        while true {
            var status: Int32 = 0
            let process = waitpid(-1, &status, WNOHANG)
            if process < 0 && durable_errno() == EINTR { continue }
            guard process != 0 else { return false }
            guard process > 0 else { return true }
            guard process == leader else { continue }
            let signal = durable_end_signal(status)
            report(.ended(signal == 0 ? .exited(durable_exit_code(status)) : .signalled(signal)))
            beginEnd()
        }
    }

    private mutating func beginEnd() {
        guard killAt == nil else { return }
        killAt = .now + grace
        signalAll(SIGTERM)
    }

    private mutating func readLifeline() {
        var byte: UInt8 = 0
        let count = read(GuardProcess.lifeline, &byte, 1)
        if count > 0 || (count < 0 && (durable_errno() == EAGAIN || durable_errno() == EINTR)) {
            return
        }
        lifelineOpen = false
        beginEnd()
    }

    /// Signals the child's group, and every child of ours with the group that it may lead.
    private func signalAll(_ signal: Int32) {
        kill(-leader, signal)
        for process in Self.children() where process != leader {
            kill(-process, signal)
            kill(process, signal)
        }
    }

    private func millisecondsToKill() -> Int32 {
        guard let killAt else { return -1 }
        return max(0, Int32((killAt - .now) / .milliseconds(1)) + 1)
    }

    @discardableResult
    private func report(_ report: GuardReport) -> Int32 {
        var line = Array(report.line.utf8) + [10]
        // Nobody may be there to read it any more, and then nobody needs it.
        _ = send(GuardProcess.lifeline, &line, line.count, Int32(MSG_NOSIGNAL))
        return 0
    }
}

extension GuardedChild {
    /// A descriptor that reports the signals a guard acts on, which no longer act by themselves.
    private static func takeSignals() -> Int32 {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
        sigprocmask(SIG_BLOCK, &signals, nil)
        return durable_new_signal_descriptor(&signals)
    }

    /// Reads what signals came; true if one of them asks for the end.
    private static func endIsAsked(by descriptor: Int32) -> Bool {
        var asked = false
        var information = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while read(descriptor, &information, size) == size {
            if information.ssi_signo != UInt32(SIGCHLD) { asked = true }
        }
        return asked
    }

    /// Only the child may hold its pipes, or their ends would never be seen.
    private static func letGoOfStandardStreams() {
        let null = durable_open("/dev/null", O_RDWR | O_CLOEXEC, 0)
        guard null >= 0 else { return }
        for standard: Int32 in 0...2 { dup2(null, standard) }
        if null > 2 { close(null) }
    }

    private static func find(
        _ command: String, path: String?
    ) -> Result<String, Spawn.SpawnFailure> {
        if command.contains("/") { return .success(command) }
        var failure = Spawn.SpawnFailure(number: ENOENT)
        let folders = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        for folder in folders {
            let candidate = "\(folder)/\(command)"
            var information = stat()
            guard stat(candidate, &information) == 0,
                information.st_mode & UInt32(S_IFMT) == UInt32(S_IFREG)
            else { continue }
            if access(candidate, X_OK) == 0 { return .success(candidate) }
            failure = Spawn.SpawnFailure(number: EACCES)
        }
        return .failure(failure)
    }

    /// The processes whose parent we are.
    private static func children() -> [pid_t] {
        let file = durable_open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC, 0)
        guard file >= 0 else { return [] }
        let owned = FileDescriptor(owning: file)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(owned.number, &buffer, buffer.count), count > 0 {
            bytes += buffer[..<count]
        }
        return bytes.split(separator: 32).compactMap { pid_t(String(decoding: $0, as: UTF8.self)) }
    }
}
