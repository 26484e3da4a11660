internal import CLinux

/// A TCP socket that takes connections, closed when its owner goes away.
package struct ListeningSocket: ~Copyable, Sendable {
    /// What one call of ``accept()`` found.
    package enum Accepted: ~Copyable {
        /// A new connection and where it came from.
        case connection(ConnectedSocket, SocketAddress)
        /// No one is waiting.
        case none
        /// Someone is waiting, but the process or the machine has no descriptors or memory left.
        case exhausted
        /// Whoever was waiting went away; the next one may be there.
        case gone
    }

    private let descriptor: FileDescriptor

    /// Where it listens, with the port that the system chose if 0 was asked for.
    package let address: SocketAddress

    /// Binds and listens, without blocking.
    ///
    /// - Parameters:
    ///   - address: The address must belong to this machine; port 0 asks for a free one.
    ///   - backlog: How many connections the kernel keeps waiting.
    /// - Throws: `.inUse`, `.notPermitted` (ports below 1024) or `.invalid`, naming the address.
    package init(address: SocketAddress, backlog: Int32 = 4096) throws(LinuxError) {
        let number = durable_stream_socket(address.family == .v4 ? AF_INET : AF_INET6, 1)
        guard number >= 0 else { throw .call("open a socket for \(address)") }
        let opened = FileDescriptor(owning: number)
        var yes: Int32 = 1
        // A server that restarts takes its port back at once.
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if address.family == .v6 {
            // An IPv6 socket is just that: IPv4 callers are not let in by surprise.
            setsockopt(
                number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes,
                socklen_t(MemoryLayout<Int32>.size))
        }
        var (storage, length) = address.storage
        guard durable_bind(number, &storage, length) == 0 else {
            throw .call("bind to \(address)")
        }
        guard listen(number, backlog) == 0 else { throw .call("listen on \(address)") }
        guard durable_getsockname(number, &storage, &length) == 0,
            let bound = SocketAddress(storage)
        else { throw .call("read the address of the socket for \(address)") }
        self.address = bound
        descriptor = opened
    }

    /// The number to watch for readiness.
    package var number: Int32 { descriptor.number }

    /// Takes the next connection, if one waits; never blocks.
    package func accept() -> Accepted {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let number = durable_accept(descriptor.number, &storage, &length)
        if number >= 0 {
            let connection = ConnectedSocket(owning: number)
            guard let peer = SocketAddress(storage) else { return .gone }
            return .connection(connection, peer)
        }
        switch durable_errno() {
        case EAGAIN: return .none
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
        // Network errors of the pending connection are reported here; they concern it alone.
        default: return .gone
        }
    }
}

/// One descriptor held back, so that a caller can still be turned away when none are left.
package struct ReserveDescriptor: ~Copyable {
    private var held: FileDescriptor?

    /// Takes a descriptor out of the common stock.
    package init() {
        held = Self.take()
    }

    /// Lends the descriptor to `body`, and takes it back afterwards if the system lets it.
    package mutating func lend(to body: () -> Void) {
        held = nil
        body()
        held = Self.take()
    }

    private static func take() -> FileDescriptor? {
        let number = eventfd(0, Int32(EFD_CLOEXEC))
        return number >= 0 ? FileDescriptor(owning: number) : nil
    }
}
