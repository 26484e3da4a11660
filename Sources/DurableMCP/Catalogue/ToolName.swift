internal import OpenSSLCrypto

/// The names under which the tools of servers behind us are shown.
///
/// Clients differ in what they accept, so a name has 1 to 40 characters of `a` to `z`, `0` to `9`
/// and `_`. The catalogue keeps which tool of which server each stands for.
enum ToolName {
    /// The most characters of a name.
    static let limit = 40
    /// What stands between a server's and a tool's name.
    static let separator = "__"

    private static let hashLength = 8
    private static let shortServer = 12

    /// `<server>__<tool>`, in characters that every client accepts, cut short where it is long.
    static func plain(server: String, tool: String) -> String {
        let (server, name) = (written(server), written(tool))
        let whole = server + separator + name
        return whole.utf8.count <= limit && !name.isEmpty
            ? whole : short(server: server, tool: tool)
    }

    /// A name that depends on every character of both, for where the plain one is taken.
    static func short(server: String, tool: String) -> String {
        let digest = SHA256.hash(server + "\0" + tool)
        let hash = Base32.encode(Array(digest.prefix(5)))
        let head = written(server).prefix(shortServer) + separator
        let room = limit - head.utf8.count - 1 - hashLength
        return head + written(tool).prefix(room) + "_" + hash
    }

    /// In lower case, with `_` for whatever clients may not accept.
    private static func written(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9": result.unicodeScalars.append(scalar)
            case "A"..."Z": result += scalar.properties.lowercaseMapping
            default: result.append("_")
            }
        }
        return result
    }

    /// Whether a name looks like one of a tool of this server.
    static func looksLike(_ name: String, toolOf server: String) -> Bool {
        let server = written(server)
        return name.hasPrefix(server + separator)
            || name.hasPrefix(server.prefix(shortServer) + separator)
    }
}
