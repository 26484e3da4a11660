/// Why a config cannot be used.
public struct ConfigError: Error {
    /// What kind of failure it was, and so what the caller can do.
    public enum Code: Sendable {
        /// There is no such file.
        case missingFile
        /// The file cannot be read.
        case unreadable
        /// The file is no JSON, or says what cannot be.
        case invalid
    }

    /// The kind of failure.
    public let code: Code

    /// Every problem, one a line, with file, line and column; never a value of `env` or `headers`.
    public let message: String

    /// The failure underneath, if another library reported one.
    public let cause: (any Error)?

    private init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

extension ConfigError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension ConfigError {
    static func missingFile(_ path: String) -> Self {
        Self(
            .missingFile,
            "The config file '\(path)' does not exist. Check the path given with --config.")
    }

    static func unreadable(_ path: String, cause: any Error) -> Self {
        Self(
            .unreadable,
            "The config file '\(path)' cannot be read. Check that it is a file and that this "
                + "user may read it.",
            cause: cause)
    }

    static func tooLarge(_ path: String, limitBytes: Int) -> Self {
        Self(
            .unreadable,
            "The config file '\(path)' has more than \(limitBytes) bytes, so it is none.")
    }

    static func invalid(_ problems: [ConfigProblem]) -> Self {
        Self(.invalid, problems.map(\.description).joined(separator: "\n"))
    }

    static func badStoreURL(_ text: String) -> Self {
        Self(
            .invalid,
            "'\(text)' is no store. Write 'sqlite:PATH' for a file, or 'memory:' for none.")
    }

    static func noStandardStore() -> Self {
        Self(
            .invalid,
            "No store is named, and neither HOME nor XDG_DATA_HOME says where yours would be. "
                + "Write --store sqlite:PATH.")
    }

    static func storeNotBuilt(_ scheme: String) -> Self {
        Self(
            .invalid,
            "Stores of kind '\(scheme):' are not supported yet. Write 'sqlite:PATH' or 'memory:'.")
    }
}

/// One thing that is wrong, or odd, in a config.
public struct ConfigProblem: Hashable, Sendable, CustomStringConvertible {
    /// The file as it was named, or nil where the text came from elsewhere.
    public let file: String?
    /// The line and column, from 1.
    public let line: Int
    /// The character in that line, from 1.
    public let column: Int
    /// Where it is in the config, such as `mcpServers.git.durable`; empty for the whole.
    public let path: String
    /// What is wrong, and the remedy.
    public let message: String

    /// `file:line:column: path: message`.
    public var description: String {
        let place = "\(file ?? "config"):\(line):\(column): "
        return place + (path.isEmpty ? "" : path + ": ") + message
    }
}
