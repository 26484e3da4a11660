/// An address to serve on: a host or IP address, and a port.
struct ListenAddress: Equatable, CustomStringConvertible {
    /// A name or an IP address, without brackets.
    var host: String
    /// 0 lets the system choose.
    var port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads `HOST:PORT`, `[IPV6]:PORT`, `:PORT` or `PORT`; the last two mean 127.0.0.1.
    init?(parsing text: String) {
        var host = "127.0.0.1"
        var port = text[...]
        if let colon = text.lastIndex(of: ":") {
            port = text[text.index(after: colon)...]
            let before = text[..<colon]
            if before.hasPrefix("["), before.hasSuffix("]") {
                host = String(before.dropFirst().dropLast())
                guard host.contains(":") else { return nil }
            } else if !before.isEmpty {
                // An IPv6 address without brackets leaves open where the port begins.
                guard !before.contains(":") else { return nil }
                host = String(before)
            }
        }
        guard !host.isEmpty, !host.contains(where: { $0.isWhitespace || $0 == "/" }),
            (1...5).contains(port.count), port.allSatisfy({ $0.isASCII && $0.isNumber }),
            let number = Int(port), number <= 65_535
        else { return nil }
        self.host = host
        self.port = number
    }

    /// Whether only this machine can reach it.
    var isLoopback: Bool {
        host == "localhost" || host == "::1"
            || host.wholeMatch(of: /127\.\d{1,3}\.\d{1,3}\.\d{1,3}/) != nil
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
