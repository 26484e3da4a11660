internal import CLinux

/// A file whose lock one holder at a time has, across processes and within one.
///
/// The lock is an open-file-description lock (`fcntl(2)`, `F_OFD_SETLK`): the kernel drops it
/// when its holder dies, and two `LockFile`s on one path exclude each other even within a
/// process. The file's content is never read.
package final class LockFile: Sendable {
    /// Where it is.
    package let path: String
    private let descriptor: Int32

    /// Opens the file, making it (mode 0600) if it is missing; takes no lock.
    package init(path: String) throws(LinuxError) {
        self.path = path
        descriptor = durable_open(path, O_RDWR | O_CREAT, 0o600)
        guard descriptor >= 0 else {
            throw .call("open the lock file '\(path)'")
        }
    }

    deinit { close(descriptor) }

    /// Waits for the lock and takes it, blocking the thread.
    ///
    /// Fair: who waits holds a place in front, so a holder that drops the lock and wants it
    /// again at once comes after it. It looks again and again rather than let the kernel wait,
    /// since a process that was stopped while it holds the lock must not stop all others.
    /// - Parameter limit: How long to wait.
    /// - Throws: `.inUse` when the limit is over.
    package func lock(within limit: Duration) throws(LinuxError) {
        let deadline = SystemClock.sinceBoot() + limit
        try wait(for: Self.place, until: deadline)
        defer { drop(Self.place) }
        try wait(for: Self.heart, until: deadline)
    }

    /// Takes the lock unless another holds it; gives whether it did.
    package func tryLock() throws(LinuxError) -> Bool { try take(Self.heart) }

    /// Drops the lock.
    package func unlock() { drop(Self.heart) }

    private static let heart: off_t = 0
    private static let place: off_t = 1

    /// The longest pause between two looks, in microseconds.
    private static let longestPause: UInt32 = 1_000

    private func wait(for byte: off_t, until deadline: Duration) throws(LinuxError) {
        var pause: UInt32 = 50
        while try !take(byte) {
            guard SystemClock.sinceBoot() < deadline else {
                throw LinuxError(
                    code: .inUse, number: EAGAIN,
                    message: """
                        Cannot lock '\(path)': another process holds it and does not go on. \
                        Resume it or end it.
                        """)
            }
            usleep(pause)
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private func take(_ byte: off_t) throws(LinuxError) -> Bool {
        while durable_ofd_lock(descriptor, Int16(F_WRLCK), byte) != 0 {
            switch durable_errno() {
            case EINTR: continue
            case EAGAIN, EACCES: return false
            case let number: throw .call("lock '\(path)'", number: number)
            }
        }
        return true
    }

    private func drop(_ byte: off_t) {
        let code = durable_ofd_lock(descriptor, Int16(F_UNLCK), byte)
        precondition(code == 0, "Dropping a lock fails only for a descriptor that is not open.")
    }

    /// Whether somebody holds the lock of the file at `path`; false where there is no file.
    package static func isHeld(path: String) throws(LinuxError) -> Bool {
        let descriptor = durable_open(path, O_RDWR, 0)
        guard descriptor >= 0 else {
            if durable_errno() == ENOENT { return false }
            throw .call("open the lock file '\(path)'")
        }
        defer { close(descriptor) }
        let held = durable_ofd_is_held(descriptor, heart)
        guard held >= 0 else {
            throw .call("test the lock of '\(path)'")
        }
        return held == 1
    }
}
