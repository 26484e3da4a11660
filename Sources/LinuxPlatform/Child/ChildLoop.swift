internal import CLinux
internal import Synchronization

/// The thread that serves one child: its input, its output, its complaints and its guard.
///
/// Unchecked, since it is made on one thread and handed to another, which alone uses it.
final class ChildLoop: @unchecked Sendable {
    private let child: ChildProcess
    private let observer: any ChildObserver
    private let guardProcess: pid_t
    private var input: FileDescriptor?
    private var output: FileDescriptor?
    private var complaints: FileDescriptor?
    private var lifeline: FileDescriptor?
    private var inputIsFull = false
    private var process: pid_t?
    private var exit: ChildExit?
    private var reports: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

    init(
        child: ChildProcess, observer: any ChildObserver, guardProcess: pid_t,
        input: consuming FileDescriptor, output: consuming FileDescriptor,
        complaints: consuming FileDescriptor, lifeline: consuming FileDescriptor
    ) {
        self.child = child
        self.observer = observer
        self.guardProcess = guardProcess
        self.input = consume input
        self.output = consume output
        self.complaints = consume complaints
        self.lifeline = consume lifeline
    }

    /// Serves the child until its guard, and so the child, is gone.
    func run() {
        SystemThread.blockBrokenPipeSignal()
        while lifeline != nil {
            var polled = [
                interest(child.wakeNumber, POLLIN),
                interest(inputIsFull ? number(of: input) : -1, POLLOUT),
                interest(number(of: output), POLLIN),
                interest(number(of: complaints), POLLIN),
                interest(number(of: lifeline), POLLIN),
            ]
            guard poll(&polled, nfds_t(polled.count), -1) > 0 else { continue }
            if polled[0].revents != 0 { durable_clear_wake(child.wakeNumber) }
            if polled[1].revents != 0 { inputIsFull = false }
            if polled[2].revents != 0 { readOutput() }
            if polled[3].revents != 0 { readComplaints() }
            if polled[4].revents != 0 { readReports() }
            obey()
        }
        finish()
    }

    /// Does what callers asked for since the last turn.
    private func obey() {
        let (closes, terminates) = child.state.withLock { state in
            (state.closesInput && state.frames.isEmpty, state.terminates)
        }
        if terminates { end() }
        if closes { input = nil }
        writeInput()
    }

    private func writeInput() {
        while input != nil, !inputIsFull {
            guard let frame = nextFrame() else {
                if child.state.withLock({ $0.closesInput && $0.frames.isEmpty }) { input = nil }
                return
            }
            let rest = frame.bytes.count - frame.offset
            let count = frame.bytes.withUnsafeBytes {
                write(number(of: input), $0.baseAddress.map { $0 + frame.offset }, rest)
            }
            switch (count, durable_errno()) {
            case (0..., _): wrote(count)
            case (_, EINTR): continue
            case (_, EAGAIN): inputIsFull = true
            default: loseInput()
            }
        }
    }

    /// The frame to go on with, marked as begun before its first byte leaves.
    private func nextFrame() -> ChildProcess.Frame? {
        child.state.withLock { state in
            guard !state.frames.isEmpty else { return nil }
            state.frames[0].begun = true
            return state.frames[0]
        }
    }

    private func wrote(_ count: Int) {
        child.state.withLock { state in
            state.frames[0].offset += count
            guard state.frames[0].offset == state.frames[0].bytes.count else { return }
            state.queuedBytes -= state.frames.removeFirst().bytes.count
        }
    }

    /// A child that reads no more can be asked nothing more: it is ended.
    private func loseInput() {
        child.state.withLock { state in
            if state.frames[0].offset == 0 { state.frames[0].begun = false }
        }
        end()
    }

    /// Lets the guard end the child: it reads end-of-file, while its reports still reach us.
    private func end() {
        child.state.withLock { $0.acceptsInput = false }
        input = nil
        shutdown(number(of: lifeline), Int32(SHUT_WR))
    }

    private func readOutput() {
        guard let bytes = readSome(number(of: output)) else { return }
        guard bytes.isEmpty else { return observer.childWrote(bytes) }
        output = nil
        // A child that can answer nothing more is of no more use.
        end()
    }

    private func readComplaints() {
        guard let bytes = readSome(number(of: complaints)) else { return }
        if bytes.isEmpty { complaints = nil } else { observer.childComplained(bytes) }
    }

    private func readReports() {
        guard let bytes = readSome(number(of: lifeline)) else { return }
        if bytes.isEmpty { lifeline = nil }
        reports += bytes
        while let end = reports.firstIndex(of: 10) {
            let line = String(decoding: reports[..<end], as: UTF8.self)
            reports.removeSubrange(...end)
            switch GuardReport(line: line) {
            case .started(let process):
                self.process = process
                observer.childStarted(process: process)
            case .ended(let exit):
                self.exit = exit
                child.state.withLock { $0.acceptsInput = false }
            case nil: break
            }
        }
    }

    /// What can be read now: nil for nothing yet, empty for the end.
    private func readSome(_ number: Int32) -> [UInt8]? {
        let count = read(number, &buffer, buffer.count)
        if count < 0 && (durable_errno() == EAGAIN || durable_errno() == EINTR) { return nil }
        return count > 0 ? Array(buffer[..<count]) : []
    }

    private func finish() {
        while waitpid(guardProcess, nil, 0) < 0 && durable_errno() == EINTR {}
        if exit == nil, let process { kill(-process, SIGKILL) }
        while output != nil, let bytes = readSome(number(of: output)), !bytes.isEmpty {
            observer.childWrote(bytes)
        }
        while complaints != nil, let bytes = readSome(number(of: complaints)), !bytes.isEmpty {
            observer.childComplained(bytes)
        }
        let unsent = child.state.withLock { state in
            state.acceptsInput = false
            defer { state.frames = [] }
            return Set(state.frames.filter { !$0.begun }.map(\.number))
        }
        input = nil
        output = nil
        complaints = nil
        observer.childEnded(exit ?? .guardLost, unsent: unsent)
    }

    private func number(of descriptor: borrowing FileDescriptor?) -> Int32 {
        switch descriptor {
        case .some(let open): open.number
        case .none: -1
        }
    }

    private func interest(_ number: Int32, _ events: Int32) -> pollfd {
        pollfd(fd: number, events: Int16(events), revents: 0)
    }
}
