internal import CLinux

extension SystemThread {
    /// Makes a write to a closed pipe an error on the calling thread, not the process's end.
    static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
