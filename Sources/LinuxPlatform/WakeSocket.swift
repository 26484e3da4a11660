internal import CLinux

/// A named datagram socket in a folder, by which processes wake each other.
///
/// A datagram carries nothing but its arrival. Addresses go through `/proc/self/fd` where the
/// folder's path would not fit into the 108 bytes of a `sockaddr_un`.
package final class WakeSocket: Sendable {
    private let descriptor: Int32
    private let folder: Int32
    private let folderPath: String

    /// Binds `name` in `folderPath`; the name must be free there.
    package init(name: String, in folderPath: String) throws(LinuxError) {
        let folder = durable_open_place(folderPath)
        guard folder >= 0 else {
            throw .call("open the folder '\(folderPath)'")
        }
        let descriptor = durable_datagram_socket()
        guard descriptor >= 0 else {
            let number = durable_errno()
            close(folder)
            throw .call("make a datagram socket", number: number)
        }
        let path = Self.address(of: name, folder: folder, folderPath: folderPath)
        guard durable_bind_unix(descriptor, path) == 0 else {
            let number = durable_errno()
            close(descriptor)
            close(folder)
            throw .call("bind the socket '\(folderPath)/\(name)'", number: number)
        }
        self.descriptor = descriptor
        self.folder = folder
        self.folderPath = folderPath
    }

    deinit {
        close(descriptor)
        close(folder)
    }

    /// Waits for a datagram, blocking the thread, and takes whatever else has come.
    ///
    /// False once ``shutDown()`` was called.
    package func waitForWake() -> Bool {
        durable_receive_wake(descriptor) > 0
    }

    /// Wakes the socket that is bound to `name` in the same folder, if there is one.
    package func wake(_ name: String) {
        let path = Self.address(of: name, folder: folder, folderPath: folderPath)
        // Nobody there is no failure, and a full queue means that it is about to wake.
        _ = durable_send_wake(descriptor, path)
    }

    /// Ends every wait, now and later.
    package func shutDown() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    private static func address(of name: String, folder: Int32, folderPath: String) -> String {
        let plain = "\(folderPath)/\(name)"
        return plain.utf8.count <= 107 ? plain : "/proc/self/fd/\(folder)/\(name)"
    }
}
