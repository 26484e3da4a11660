internal import CLinux
internal import Synchronization

/// How to start a child process.
package struct ChildCommand: Sendable {
    /// The command's name, looked up in `PATH`, or its path.
    package var command: String
    /// Its arguments, without its own name.
    package var arguments: [String]
    /// Its whole environment; see ``ChildEnvironment/minimal(adding:)``.
    package var environment: [String: String]
    /// Its working directory; nil for ours.
    package var workingDirectory: String?
    /// An executable that runs ``GuardProcess/main(arguments:)`` when asked to.
    package var guardPath: String
    /// How long it has between SIGTERM and SIGKILL.
    package var grace: Duration

    /// The executable that is running now, even after its file was replaced.
    package static let ownExecutable = "/proc/self/exe"

    /// A child of these parts, under this executable as its guard unless told otherwise.
    package init(
        command: String, arguments: [String] = [], environment: [String: String],
        workingDirectory: String? = nil, guardPath: String = ownExecutable,
        grace: Duration = .seconds(3)
    ) {
        self.command = command
        self.arguments = arguments
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.guardPath = guardPath
        self.grace = grace
    }
}

/// What happens to a child process, told on its own thread, in order.
///
/// While a method runs nothing more is read from the child: that is the back-pressure.
package protocol ChildObserver: Sendable {
    /// It runs, under this process id.
    func childStarted(process: Int32)
    /// It wrote to its standard output: 1 to 65,536 bytes.
    func childWrote(_ bytes: [UInt8])
    /// It wrote to its standard error: 1 to 65,536 bytes.
    func childComplained(_ bytes: [UInt8])
    /// It is gone, with all its descendants; the last call, and there always is one.
    ///
    /// `unsent` are the numbers of messages of which no byte was written.
    func childEnded(_ exit: ChildExit, unsent: Set<UInt64>)
}

/// A child process under a guard, its three streams served by one thread.
///
/// It is ended, with everything it started, when this process ends in any way, or by
/// ``terminate()``. Letting go of the object does not end it.
package final class ChildProcess: Sendable {
    /// The most bytes that may wait for a child that does not read.
    package static let queueLimitBytes = 64 << 20

    /// A message on its way to the child.
    struct Frame {
        let number: UInt64
        let bytes: [UInt8]
        var offset = 0
        var begun = false
    }

    /// What callers and the thread share.
    struct State {
        var frames: [Frame] = []
        var queuedBytes = 0
        var acceptsInput = true
        var closesInput = false
        var terminates = false
    }

    let state = Mutex(State())
    private let wake: FileDescriptor

    private init() throws(LinuxError) { wake = try .wakeUp() }

    /// Starts the guard; whether the command itself could be started is told to the observer.
    ///
    /// - Throws: ``LinuxError``, if the guard or its pipes could not be had.
    package static func start(
        _ command: ChildCommand, observer: some ChildObserver
    ) throws(LinuxError) -> ChildProcess {
        let words = [command.command] + command.arguments
        let texts = words + command.environment.flatMap { [$0.key, $0.value] }
        guard !texts.contains(where: { $0.utf8.contains(0) }), !command.command.isEmpty else {
            throw .invalid("A command must not be empty, nor hold a NUL in any argument.")
        }
        let child = try ChildProcess()
        let input = try FileDescriptor.pipe()
        let output = try FileDescriptor.pipe()
        let complaints = try FileDescriptor.pipe()
        let lifeline = try FileDescriptor.streamPair()
        try input.second.makeNonblocking()
        try output.first.makeNonblocking()
        try complaints.first.makeNonblocking()
        let theirs = try TheirEnds(
            input: input.first.raised(), output: output.second.raised(),
            complaints: complaints.second.raised(), lifeline: lifeline.second.raised(),
            order: .memoryFile(
                GuardProcess.orderBytes(
                    environment: command.environment, folder: command.workingDirectory)
            ).raised())
        let guardProcess = try startGuard(command, words: words, ends: theirs)
        let loop = ChildLoop(
            child: child, observer: observer, guardProcess: guardProcess, input: input.second,
            output: output.first, complaints: complaints.first, lifeline: lifeline.first)
        try SystemThread.start(named: command.command) { loop.run() }
        return child
    }

    private static func startGuard(
        _ command: ChildCommand, words: [String], ends: borrowing TheirEnds
    ) throws(LinuxError) -> Int32 {
        let kept = ["PATH", "LD_LIBRARY_PATH"]
        let own = ChildEnvironment.current().filter { kept.contains($0.key) }
        let request = Spawn.Request(
            path: command.guardPath,
            arguments: GuardProcess.arguments(
                executable: command.guardPath, grace: command.grace, command: words),
            environment: own.map { "\($0.key)=\($0.value)" },
            descriptors: [
                ends.input.number, ends.output.number, ends.complaints.number,
                ends.lifeline.number, ends.order.number,
            ])
        switch Spawn.start(request) {
        case .success(let process): return process
        case .failure(let failure):
            throw .call("start the guard '\(command.guardPath)'", number: failure.number)
        }
    }

    /// The descriptors that the guard and the child get, by number: 0 to 4.
    private struct TheirEnds: ~Copyable {
        let input: FileDescriptor
        let output: FileDescriptor
        let complaints: FileDescriptor
        let lifeline: FileDescriptor
        let order: FileDescriptor
    }
}

extension ChildProcess {
    /// Queues a message for the child's standard input.
    ///
    /// `number` is the caller's own for it, unlike any other of this child.
    ///
    /// - Returns: False where the child takes no more: it is gone, its input was closed, or
    ///   ``queueLimitBytes`` are waiting already.
    package func write(_ bytes: [UInt8], number: UInt64) -> Bool {
        let isQueued = state.withLock { state in
            guard state.acceptsInput, state.queuedBytes + bytes.count <= Self.queueLimitBytes
            else { return false }
            state.frames.append(Frame(number: number, bytes: bytes))
            state.queuedBytes += bytes.count
            return true
        }
        if isQueued { wakeUp() }
        return isQueued
    }

    /// Takes a message back.
    ///
    /// - Returns: True if no byte of it was written and none will be.
    package func withdraw(_ number: UInt64) -> Bool {
        state.withLock { state in
            guard
                let index = state.frames.firstIndex(where: { $0.number == number && !$0.begun })
            else { return false }
            state.queuedBytes -= state.frames.remove(at: index).bytes.count
            return true
        }
    }

    /// Closes the child's standard input once what is queued was written.
    package func closeInput() {
        state.withLock { state in
            state.acceptsInput = false
            state.closesInput = true
        }
        wakeUp()
    }

    /// Asks the guard to end the child and its descendants: SIGTERM, the grace, SIGKILL.
    package func terminate() {
        state.withLock { state in
            state.acceptsInput = false
            state.terminates = true
        }
        wakeUp()
    }

    private func wakeUp() { durable_wake(wake.number) }

    /// What ``ChildLoop`` polls to learn that the state changed.
    var wakeNumber: Int32 { wake.number }
}
