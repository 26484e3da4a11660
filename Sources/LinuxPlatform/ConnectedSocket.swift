internal import CLinux

/// One TCP connection, closed when its owner goes away.
///
/// Writing to a peer that has gone is an error here, never the signal `SIGPIPE`.
package struct ConnectedSocket: ~Copyable, Sendable {
    /// What one call of ``read(into:)`` gave.
    package enum Read: Equatable, Sendable {
        /// That many bytes, at least one.
        case bytes(Int)
        /// Nothing yet.
        case wouldBlock
        /// The peer sends no more.
        case end
        /// The connection is broken.
        case failed
    }

    /// What one call of ``write(_:)`` did.
    package enum Written: Equatable, Sendable {
        /// That many bytes were taken, at least one.
        case bytes(Int)
        /// The kernel's buffer is full.
        case wouldBlock
        /// The connection is broken.
        case failed
    }

    /// A connection that no one owns at the moment, on its way to another thread.
    ///
    /// Whoever gets it makes a socket of it again, exactly once.
    package struct Released: Sendable {
        fileprivate let number: Int32
        /// The other end.
        package let peer: SocketAddress
    }

    private let descriptor: FileDescriptor

    /// Takes over a connected stream socket.
    package init(owning number: Int32) {
        descriptor = FileDescriptor(owning: number)
    }

    /// Takes over a connection that was released.
    package init(_ released: Released) {
        descriptor = FileDescriptor(owning: released.number)
    }

    /// Connects to `address`, and blocks until that has worked or failed: for tests and tools.
    ///
    /// The connection blocks afterwards too.
    package init(connectingTo address: SocketAddress) throws(LinuxError) {
        let number = durable_stream_socket(address.family == .v4 ? AF_INET : AF_INET6, 0)
        guard number >= 0 else { throw .call("open a socket") }
        let opened = FileDescriptor(owning: number)
        var (storage, length) = address.storage
        guard durable_connect(number, &storage, length) == 0 else {
            throw .call("connect to \(address)")
        }
        descriptor = opened
    }

    /// The number to watch for readiness.
    package var number: Int32 { descriptor.number }

    /// Gives the connection up without closing it.
    package consuming func release(peer: SocketAddress) -> Released {
        Released(number: descriptor.release(), peer: peer)
    }

    /// Sends small writes at once, instead of waiting for more to send with them.
    package func sendWithoutDelay() {
        var yes: Int32 = 1
        // Only speed depends on it.
        setsockopt(
            number, Int32(IPPROTO_TCP), TCP_NODELAY, &yes,
            socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads what is there into the start of `buffer`, which must not be empty.
    package func read(into buffer: inout [UInt8]) -> Read {
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(number, $0.baseAddress, $0.count, 0) }
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch durable_errno() {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed
            }
        }
    }

    /// Sends as much of `bytes`, which must not be empty, as the kernel takes.
    package func write(_ bytes: Span<UInt8>) -> Written {
        while true {
            let count = bytes.withUnsafeBytes {
                send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count > 0 { return .bytes(count) }
            switch durable_errno() {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .failed
            }
        }
    }

    /// Sends no more; what was written still arrives, then the peer reads the end.
    package func endOutput() {
        // Fails only if the peer has gone, which reading will show.
        shutdown(number, Int32(SHUT_WR))
    }

    /// Makes the close that follows an abort, which throws away what is still unsent.
    package func abortOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        // Without it the kernel goes on trying to send, which is only slower.
        setsockopt(number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Makes blocking reads and writes give up after `time`, as `.wouldBlock`.
    package func limitWaiting(to time: Duration) {
        let (seconds, attoseconds) = time.components
        var time = timeval(
            tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Makes blocking reads and writes give up after `seconds`, as `.wouldBlock`.
    package func limitWaiting(toSeconds seconds: Int) {
        limitWaiting(to: .seconds(seconds))
    }

    /// How many bytes the kernel may hold for sending: small for tests of slow readers.
    package func limitBuffers(toBytes count: Int32) {
        var count = count
        setsockopt(number, SOL_SOCKET, SO_SNDBUF, &count, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(number, SOL_SOCKET, SO_RCVBUF, &count, socklen_t(MemoryLayout<Int32>.size))
    }
}
