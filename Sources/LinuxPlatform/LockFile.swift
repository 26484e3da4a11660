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
    package func lock() throws(LinuxError) {
        while durable_ofd_lock(descriptor, Int16(F_WRLCK), 1) != 0 {
            let number = durable_errno()
            guard number == EINTR else { throw .call("lock '\(path)'", number: number) }
        }
    }

    /// Takes the lock unless another holds it; gives whether it did.
    package func tryLock() throws(LinuxError) -> Bool {
        while durable_ofd_lock(descriptor, Int16(F_WRLCK), 0) != 0 {
            switch durable_errno() {
            case EINTR: continue
            case EAGAIN, EACCES: return false
            case let number: throw .call("lock '\(path)'", number: number)
            }
        }
        return true
    }

    /// Drops the lock.
    package func unlock() throws(LinuxError) {
        guard durable_ofd_lock(descriptor, Int16(F_UNLCK), 0) == 0 else {
            throw .call("unlock '\(path)'")
        }
    }

    /// Whether somebody holds the lock of the file at `path`; false where there is no file.
    package static func isHeld(path: String) throws(LinuxError) -> Bool {
        let descriptor = durable_open(path, O_RDWR, 0)
        guard descriptor >= 0 else {
            if durable_errno() == ENOENT { return false }
            throw .call("open the lock file '\(path)'")
        }
        defer { close(descriptor) }
        let held = durable_ofd_is_held(descriptor)
        guard held >= 0 else {
            throw .call("test the lock of '\(path)'")
        }
        return held == 1
    }
}
