/// Which `Host` and `Origin` headers are let in, so that no web page reaches a local server
/// through a name of its own.
///
/// Source: 2026-07-28 Streamable HTTP, "Security & Endpoint".
public struct OriginPolicy: Hashable, Sendable {
    /// Hosts by which clients reach this server: `example.com` on any port, or
    /// `example.com:8443` on that one alone.
    public var hosts: [String]
    /// Origins of web pages that may call this server, besides those of its own hosts:
    /// `https://app.example.com`.
    public var origins: [String]

    /// The names of this machine for itself.
    public static let loopbackHosts = ["localhost", "127.0.0.1", "[::1]"]

    /// A policy that lets in the hosts and origins named; the machine's own hosts always.
    public init(hosts: [String] = [], origins: [String] = []) {
        self.hosts = Self.loopbackHosts + hosts
        self.origins = origins
    }

    /// Why a request is not let in, naming the header's value; nil where it is.
    func refusal(authority: String, origins given: [String]) -> String? {
        guard allows(authority) else {
            return "the Host '\(Self.shown(authority))' is not among the allowed hosts."
        }
        for origin in given where !allows(origin: origin) {
            return "the Origin '\(Self.shown(origin))' is not among the allowed origins."
        }
        return nil
    }

    private func allows(_ authority: String) -> Bool {
        let authority = authority.lowercased()
        let host = Self.withoutPort(authority)
        return hosts.contains { allowed in
            let allowed = allowed.lowercased()
            return allowed == authority || allowed == host
        }
    }

    private func allows(origin: String) -> Bool {
        let origin = origin.lowercased()
        if origins.contains(where: { $0.lowercased() == origin }) { return true }
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            return allows(String(origin.dropFirst(scheme.count)))
        }
        return false
    }

    /// The host of `host:port` or `[address]:port`.
    private static func withoutPort(_ authority: String) -> String {
        guard let colon = authority.lastIndex(of: ":") else { return authority }
        let port = authority[authority.index(after: colon)...]
        guard !port.isEmpty, port.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return authority
        }
        return String(authority[..<colon])
    }

    /// A stranger's text, fit to be shown: short, and of visible ASCII.
    private static func shown(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(100).map {
                (0x21...0x7E).contains($0.value) ? Character($0) : "?"
            })
    }
}
