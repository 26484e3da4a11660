internal import CLinux

/// What a program asks of the system about itself.
package enum CurrentProcess {
    /// Its process id.
    package static var identifier: Int32 { getpid() }

    /// Ends the process at once: nothing is flushed, no handler runs.
    package static func endAtOnce(code: Int32) -> Never { _exit(code) }

    /// Ends the process as `kill -9` does, for tests of what a crash leaves behind.
    package static func crash() -> Never {
        _ = kill(getpid(), SIGKILL)
        // The signal cannot be held; this line is for the compiler.
        _exit(137)
    }

    /// Stops the calling thread for good; another one ends the process.
    package static func park() -> Never {
        while true { pause() }
    }

    /// Stops the calling thread for a while; never call it on the cooperative pool.
    package static func block(for duration: Duration) {
        let parts = duration.components
        var wanted = timespec(
            tv_sec: Int(parts.seconds), tv_nsec: Int(parts.attoseconds / 1_000_000_000))
        var left = timespec()
        while nanosleep(&wanted, &left) != 0 && durable_errno() == EINTR { wanted = left }
    }

    /// Writes all bytes to an open descriptor, waiting as long as that takes.
    ///
    /// - Throws: `.disconnected` if nobody reads them any more, where SIGPIPE is blocked or
    ///   ignored.
    package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(LinuxError) {
        var offset = 0
        while offset < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress.map { $0 + offset }, bytes.count - offset)
            }
            if count < 0 && durable_errno() == EINTR { continue }
            guard count > 0 else { throw .call("write to descriptor \(descriptor)") }
            offset += count
        }
    }
}
