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
    /// again at once comes after it.
    package func lock() throws(LinuxError) {
        try wait(for: Self.place)
        defer { drop(Self.place) }
        try wait(for: Self.heart)
    }

    /// Takes the lock unless another holds it; gives whether it did.
    package func tryLock() throws(LinuxError) -> Bool {
        while durable_ofd_lock(descriptor, Int16(F_WRLCK), Self.heart, 0) != 0 {
            switch durable_errno() {
            case EINTR: continue
            case EAGAIN, EACCES: return false
            case let number: throw .call("lock '\(path)'", number: number)
            }
        }
        return true
    }

    /// Drops the lock.
    package func unlock() { drop(Self.heart) }

    private static let heart: off_t = 0
    private static let place: off_t = 1

    private func wait(for byte: off_t) throws(LinuxError) {
        while durable_ofd_lock(descriptor, Int16(F_WRLCK), byte, 1) != 0 {
            let number = durable_errno()
            guard number == EINTR else { throw .call("lock '\(path)'", number: number) }
        }
    }

    private func drop(_ byte: off_t) {
        let code = durable_ofd_lock(descriptor, Int16(F_UNLCK), byte, 0)
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
