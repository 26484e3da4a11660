internal import CLinux

/// Two descriptors that belong together.
struct DescriptorPair: ~Copyable {
    /// The reading end of a pipe, or either end of a socket pair.
    let first: FileDescriptor
    /// The writing end of a pipe, or the other end of a socket pair.
    let second: FileDescriptor
}

extension FileDescriptor {
    /// The two ends of a pipe, reading end first; neither is inherited by a program we start.
    static func pipe() throws(LinuxError) -> DescriptorPair {
        var ends: [Int32] = [-1, -1]
        guard durable_new_pipe(&ends) == 0 else { throw .call("create a pipe") }
        return DescriptorPair(
            first: FileDescriptor(owning: ends[0]), second: FileDescriptor(owning: ends[1]))
    }

    /// Two connected stream sockets; neither is inherited by a program we start.
    static func streamPair() throws(LinuxError) -> DescriptorPair {
        var ends: [Int32] = [-1, -1]
        guard durable_new_stream_pair(&ends) == 0 else { throw .call("create a socket pair") }
        return DescriptorPair(
            first: FileDescriptor(owning: ends[0]), second: FileDescriptor(owning: ends[1]))
    }

    /// An anonymous file that holds these bytes, read from its beginning.
    static func memoryFile(_ bytes: [UInt8]) throws(LinuxError) -> FileDescriptor {
        let number = durable_new_memory_file("durable")
        guard number >= 0 else { throw .call("create a file in memory") }
        let file = FileDescriptor(owning: number)
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(number, $0.baseAddress.map { $0 + written }, bytes.count - written)
            }
            guard count > 0 else { throw .call("write to a file in memory") }
            written += count
        }
        guard lseek(number, 0, SEEK_SET) == 0 else { throw .call("rewind a file in memory") }
        return file
    }

    /// A counter that another thread can wait for.
    static func wakeUp() throws(LinuxError) -> FileDescriptor {
        let number = durable_new_wake_descriptor()
        guard number >= 0 else { throw .call("create an event descriptor") }
        return FileDescriptor(owning: number)
    }

    /// The same open file under a number of at least 10, out of the way of the standard ones.
    borrowing func raised() throws(LinuxError) -> FileDescriptor {
        let copy = durable_duplicate_above(number, 10)
        guard copy >= 0 else { throw .call("duplicate a file descriptor") }
        return FileDescriptor(owning: copy)
    }

    /// Makes reads and writes return at once instead of waiting.
    borrowing func makeNonblocking() throws(LinuxError) {
        guard durable_set_nonblocking(number) == 0 else {
            throw .call("change the mode of a file descriptor")
        }
    }
}
