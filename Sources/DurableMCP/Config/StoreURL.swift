/// Where the log is kept.
public enum StoreURL: Hashable, Sendable {
    /// A SQLite file, by its absolute path.
    case sqlite(path: String)
    /// Nothing is kept beyond the process.
    case memory
}

extension StoreURL {
    /// Reads `sqlite:PATH` or `memory:`.
    ///
    /// - Parameters:
    ///   - text: The URL.
    ///   - folder: Absolute; what a relative path starts from.
    ///   - home: Absolute; what `~` stands for, or nil where that is not known.
    /// - Throws: ``ConfigError``: `.invalid`.
    public init(parsing text: String, relativeTo folder: String, home: String?)
        throws(ConfigError)
    {
        if text == "memory:" {
            self = .memory
            return
        }
        guard let colon = text.firstIndex(of: ":") else { throw .badStoreURL(text) }
        let scheme = text[..<colon]
        var path = String(text[text.index(after: colon)...])
        if ["postgres", "postgresql"].contains(scheme) {
            throw .storeNotBuilt(String(scheme))
        }
        guard scheme == "sqlite" else { throw .badStoreURL(text) }
        // `sqlite:///a/b` is how some other programs write `sqlite:/a/b`.
        if path.hasPrefix("//") { path.removeFirst(2) }
        if path.hasPrefix("~/"), let home { path = home + path.dropFirst() }
        guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else {
            throw .badStoreURL(text)
        }
        if !path.hasPrefix("/") {
            path = folder + (folder.hasSuffix("/") ? "" : "/") + path
        }
        self = .sqlite(path: path)
    }

    /// The store to use: the one named on the command line, else in the config, else the standard.
    ///
    /// A relative path starts from where it was written: the current folder, or the config's.
    ///
    /// - Throws: ``ConfigError``: `.invalid`.
    public static func chosen(
        option: String?, config: ServerConfig?, environment: [String: String], currentFolder: String
    ) throws(ConfigError) -> StoreURL {
        let home = environment["HOME"]
        if let option {
            return try StoreURL(parsing: option, relativeTo: currentFolder, home: home)
        }
        if let text = config?.store {
            let folder = config?.folder ?? currentFolder
            return try StoreURL(parsing: text, relativeTo: folder, home: home)
        }
        guard let standard = standard(environment: environment) else { throw .noStandardStore() }
        return standard
    }

    /// The store that is used where none is named: a file in the user's data folder.
    ///
    /// `${XDG_DATA_HOME:-~/.local/share}/durable-mcp/store.sqlite`; nil where neither variable is
    /// set.
    public static func standard(environment: [String: String]) -> StoreURL? {
        // The XDG specification tells to ignore a relative path.
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return .sqlite(path: data + "/durable-mcp/store.sqlite")
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return .sqlite(path: home + "/.local/share/durable-mcp/store.sqlite")
    }
}

extension StoreURL: CustomStringConvertible {
    /// As it is written in a config.
    public var description: String {
        switch self {
        case .sqlite(let path): "sqlite:\(path)"
        case .memory: "memory:"
        }
    }
}
