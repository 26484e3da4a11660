/// How a child process came to its end.
package enum ChildExit: Equatable, Sendable {
    /// It returned this code.
    case exited(Int32)
    /// This signal ended it.
    case signalled(Int32)
    /// It never ran: the system's error number, and what it was about.
    case notStarted(Int32, about: StartObstacle)
    /// The guard process vanished without a report; the child was killed.
    case guardLost
}

/// What stood in the way of starting a child.
package enum StartObstacle: String, Equatable, Sendable {
    /// The command is in no folder of `PATH`, or cannot be executed.
    case command
    /// The working directory is not there.
    case workingDirectory
    /// The guard process itself could not be started.
    case guardProcess
}

/// The guard's reports to us, one line each.
enum GuardReport: Equatable {
    case started(Int32)
    case ended(ChildExit)

    /// The line that says this, without its newline.
    var line: String {
        switch self {
        case .started(let process): "started \(process)"
        case .ended(.exited(let code)): "exited \(code)"
        case .ended(.signalled(let signal)): "signalled \(signal)"
        case .ended(.notStarted(let number, let about)): "failed \(number) \(about.rawValue)"
        case .ended(.guardLost): "lost"
        }
    }

    /// Reads a line; nil for one that no guard writes.
    init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        let number = words.dropFirst().first.flatMap { Int32($0) }
        switch (words.first, number) {
        case ("started", let number?): self = .started(number)
        case ("exited", let number?): self = .ended(.exited(number))
        case ("signalled", let number?): self = .ended(.signalled(number))
        case ("failed", let number?):
            guard let about = words.last.flatMap({ StartObstacle(rawValue: String($0)) }) else {
                return nil
            }
            self = .ended(.notStarted(number, about: about))
        case ("lost", nil): self = .ended(.guardLost)
        default: return nil
        }
    }
}
