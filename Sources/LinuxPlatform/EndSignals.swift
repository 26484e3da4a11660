internal import CLinux

/// The signals that ask a server to end, taken by a thread instead of a handler.
package enum EndSignals {
    /// Keeps SIGTERM and SIGINT from ending the process, and SIGPIPE from coming at all.
    ///
    /// Call it on the first thread before there are others: they inherit it. Programs that are
    /// started get signals as the system sets them.
    package static func hold() {
        var signals = ends
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    /// Calls `ask` once the first of the held signals has come; the second one ends the process
    /// at once, with 128 and its number.
    package static func watch(
        _ ask: @escaping @Sendable (_ signal: String) -> Void
    ) throws(LinuxError) {
        var signals = ends
        let number = durable_new_signal_descriptor(&signals)
        guard number >= 0 else { throw .call("create a signal descriptor") }
        try SystemThread.start(named: "durable-signals") {
            ask(name(of: next(number)))
            CurrentProcess.endAtOnce(code: 128 + next(number))
        }
    }

    private static var ends: sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        sigaddset(&signals, SIGINT)
        return signals
    }

    private static func name(of signal: Int32) -> String {
        signal == SIGTERM ? "SIGTERM" : "SIGINT"
    }

    /// Waits for a signal, on a thread of its own.
    private static func next(_ descriptor: Int32) -> Int32 {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        var info = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        while true {
            guard poll(&polled, 1, -1) > 0 else { continue }
            if read(descriptor, &info, size) == size { return Int32(info.ssi_signo) }
        }
    }
}
