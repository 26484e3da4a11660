internal import CLinux

/// A file that any number of processes append whole records to.
package struct AppendFile: ~Copyable, Sendable {
    private let descriptor: FileDescriptor
    private let path: String

    /// Opens a file, made first if it is not there (mode 0600).
    package init(path: String) throws(LinuxError) {
        let number = durable_open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw .call("open '\(path)' for appending") }
        descriptor = FileDescriptor(owning: number)
        self.path = path
    }

    /// Appends one record, in one piece, and waits until it is on the disk.
    package borrowing func append(_ record: [UInt8]) throws(LinuxError) {
        let count = record.withUnsafeBytes { write(descriptor.number, $0.baseAddress, $0.count) }
        guard count == record.count else { throw .call("append to '\(path)'") }
        guard fdatasync(descriptor.number) == 0 else { throw .call("synchronise '\(path)'") }
    }
}
