internal import CLinux

/// What of our own environment a child process may see.
package enum ChildEnvironment {
    /// The names that are handed on where they are set, beside every `LC_…`.
    package static let inherited: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ", "TMPDIR",
        "XDG_RUNTIME_DIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    ]

    /// The environment of a child: what is inherited, then what was configured for it.
    package static func minimal(adding configured: [String: String]) -> [String: String] {
        var result = current().filter { inherited.contains($0.key) || $0.key.hasPrefix("LC_") }
        result.merge(configured) { _, configured in configured }
        return result
    }

    /// Our own environment.
    package static func current() -> [String: String] {
        guard let list = durable_environment() else { return [:] }
        var result: [String: String] = [:]
        var index = 0
        while let entry = list[index] {
            let text = String(cString: entry)
            if let split = text.firstIndex(of: "=") {
                result[String(text[..<split])] = String(text[text.index(after: split)...])
            }
            index += 1
        }
        return result
    }
}
