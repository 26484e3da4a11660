internal import CLinux

/// An IP address and a TCP port.
package struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The two families of IP addresses.
    package enum Family: Sendable {
        /// Four bytes.
        case v4
        /// Sixteen bytes.
        case v6
    }

    /// The family of ``octets``.
    package let family: Family

    /// The address in network order: 4 or 16 bytes.
    package let octets: [UInt8]

    /// The port; 0 lets the system choose one when bound.
    package let port: UInt16

    /// 127.0.0.1, where only this machine can come in.
    package static func loopback(port: UInt16) -> Self {
        Self(family: .v4, octets: [127, 0, 0, 1], port: port)
    }

    /// The address without the port: `127.0.0.1`, `::1`.
    package var host: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(
            family == .v4 ? AF_INET : AF_INET6, octets, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// `127.0.0.1:8765` or `[::1]:8765`.
    package var description: String {
        family == .v4 ? "\(host):\(port)" : "[\(host)]:\(port)"
    }

    /// Whether only this machine can reach it: 127.0.0.0/8, `::1`, or the former mapped into IPv6.
    package var isLoopback: Bool {
        switch family {
        case .v4: octets[0] == 127
        case .v6:
            octets == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
                || octets.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127])
        }
    }
}

extension SocketAddress {
    /// Reads `HOST:PORT`: an IPv4 address, an IPv6 one in brackets, or `localhost`.
    ///
    /// Names are not looked up: where a server listens should not depend on a name server.
    ///
    /// - Throws: `.invalid`, saying what is expected.
    package init(parsing text: String) throws(LinuxError) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { throw Self.unreadable(text) }
        var host = String(text[..<colon])
        if host == "localhost" { host = "127.0.0.1" }
        if host.hasPrefix("["), host.hasSuffix("]") {
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1 else {
                throw Self.unreadable(text)
            }
            self.init(
                family: .v6, octets: withUnsafeBytes(of: &address) { Array($0) }, port: port)
        } else {
            var address = in_addr()
            guard inet_pton(AF_INET, host, &address) == 1 else { throw Self.unreadable(text) }
            self.init(
                family: .v4, octets: withUnsafeBytes(of: &address) { Array($0) }, port: port)
        }
    }

    private static func unreadable(_ text: String) -> LinuxError {
        .invalid(
            """
            '\(text)' is not an address to listen on. Write an IP address and a port, as in \
            127.0.0.1:8765 or [::1]:8765.
            """)
    }

    /// Reads what the kernel wrote; nil for a family other than IP.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            self = withUnsafeBytes(of: &storage) { bytes in
                var address = bytes.loadUnaligned(as: sockaddr_in.self)
                return Self(
                    family: .v4, octets: withUnsafeBytes(of: &address.sin_addr) { Array($0) },
                    port: UInt16(bigEndian: address.sin_port))
            }
        case AF_INET6:
            self = withUnsafeBytes(of: &storage) { bytes in
                var address = bytes.loadUnaligned(as: sockaddr_in6.self)
                return Self(
                    family: .v6, octets: withUnsafeBytes(of: &address.sin6_addr) { Array($0) },
                    port: UInt16(bigEndian: address.sin6_port))
            }
        default: return nil
        }
    }

    /// What the kernel reads, and its length.
    var storage: (sockaddr_storage, socklen_t) {
        var storage = sockaddr_storage()
        let length = withUnsafeMutableBytes(of: &storage) { bytes in
            switch family {
            case .v4:
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = port.bigEndian
                withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: octets) }
                bytes.storeBytes(of: address, as: sockaddr_in.self)
                return MemoryLayout<sockaddr_in>.size
            case .v6:
                var address = sockaddr_in6()
                address.sin6_family = sa_family_t(AF_INET6)
                address.sin6_port = port.bigEndian
                withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: octets) }
                bytes.storeBytes(of: address, as: sockaddr_in6.self)
                return MemoryLayout<sockaddr_in6>.size
            }
        }
        return (storage, socklen_t(length))
    }
}
