internal import CLinux

/// What a command line program says, and how it ends.
package enum StandardStreams {
    /// Writes all of `text` to standard output; false where nobody reads it any more.
    @discardableResult
    package static func writeOutput(_ text: String) -> Bool { writeAll(text, to: STDOUT_FILENO) }

    /// Writes all of `text` to standard error; false where nobody reads it any more.
    @discardableResult
    package static func writeError(_ text: String) -> Bool { writeAll(text, to: STDERR_FILENO) }

    /// Reads standard input to its end, or to so many bytes; nil where it cannot be read.
    ///
    /// It blocks the thread meanwhile.
    package static func readInput(limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: limit)
        while bytes.count < limit {
            let count = read(STDIN_FILENO, &buffer, limit - bytes.count)
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 {
                break
            } else if durable_errno() != EINTR {
                return nil
            }
        }
        return bytes
    }

    /// Ends the process at once with this code.
    package static func endProcess(_ code: Int32) -> Never { exit(code) }

    private static func writeAll(_ text: String, to descriptor: Int32) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if ![EINTR, EAGAIN].contains(durable_errno()) {
                return false
            }
        }
        return true
    }
}
