internal import CLinux

/// The failure of one operating-system call.
package struct LinuxError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of failure it was, and so what the caller can do.
    package enum Code: Sendable {
        /// The address or file is in use by someone else.
        case inUse
        /// This user may not do that.
        case notPermitted
        /// The file, folder or program does not exist.
        case notFound
        /// The process or the machine has no descriptors or memory left.
        case exhausted
        /// The peer has gone.
        case disconnected
        /// A value given to the call cannot be right.
        case invalid
        /// Anything else.
        case other
    }

    /// The kind of failure.
    package let code: Code

    /// The `errno` of the call, 0 if there was none.
    package let number: Int32

    /// What was tried, on what, and the system's reason.
    package let message: String

    package var description: String { message }
}

extension LinuxError {
    /// A call that set `errno` to `number` while trying to `operation`.
    ///
    /// Without a `number`, the calling thread's `errno` is read.
    package static func call(_ operation: String, number: Int32? = nil) -> Self {
        let number = number ?? durable_errno()
        let reason = String(cString: strerror(number))
        return Self(
            code: code(for: number), number: number,
            message: "Cannot \(operation): \(reason) (errno \(number)).")
    }

    /// A value that no call was made with, because it cannot be right.
    package static func invalid(_ message: String) -> Self {
        Self(code: .invalid, number: EINVAL, message: message)
    }

    private static func code(for number: Int32) -> Code {
        switch number {
        case EADDRINUSE, EBUSY, ETXTBSY: .inUse
        case EACCES, EPERM, EROFS: .notPermitted
        case ENOENT, ENOTDIR: .notFound
        case EMFILE, ENFILE, ENOBUFS, ENOMEM, ENOSPC, EAGAIN: .exhausted
        case EPIPE, ECONNRESET, ECONNABORTED, ENOTCONN, ETIMEDOUT: .disconnected
        case EINVAL, EADDRNOTAVAIL: .invalid
        default: .other
        }
    }
}
