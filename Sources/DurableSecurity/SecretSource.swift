internal import FoundationEssentials

/// Where the values behind references come from.
public struct SecretSource: Sendable {
    /// The largest secret that is read, in bytes.
    public static let secretBytesLimit = 64 * 1024

    private let environment: [String: String]
    private let folders: [String]

    /// A source of these variables and folders.
    ///
    /// - Parameters:
    ///   - environment: The variables by name.
    ///   - folders: Where `${secret:NAME}` looks for a file `NAME`, the first that has it wins.
    public init(environment: [String: String], folders: [String]) {
        self.environment = environment
        self.folders = folders
    }

    /// The usual source of a config file in `configFolder`.
    ///
    /// Secrets are files in its folder `secrets`, then in the folder that systemd passes
    /// credentials in.
    public init(environment: [String: String], configFolder: String?) {
        var folders: [String] = []
        if let configFolder { folders.append(configFolder + "/secrets") }
        if let credentials = environment["CREDENTIALS_DIRECTORY"], !credentials.isEmpty {
            folders.append(credentials)
        }
        self.init(environment: environment, folders: folders)
    }

    /// The text with every reference followed, and the values that must not be shown.
    ///
    /// Reads files, so call it where a connection is made, not where a config is read.
    ///
    /// - Throws: ``SecurityError``: `.missing` or `.unusable`, naming the reference.
    public func resolve(_ text: SecretText) throws(SecurityError) -> ResolvedSecret {
        var value = ""
        var references: [String] = []
        var files: [String] = []
        for part in text.parts {
            switch part {
            case .literal(let literal):
                value += literal
            case .environment(let name, let fallback):
                // As in a shell, `:-` stands in for an empty variable too.
                let found = environment[name]
                if let fallback, found?.isEmpty ?? true {
                    value += fallback
                } else if let found {
                    value += found
                    references.append(found)
                } else {
                    throw .unsetVariable(name)
                }
            case .secret(let name):
                let found = try secret(named: name)
                value += found
                references.append(found)
                files.append(found)
            }
        }
        return ResolvedSecret(value: value, references: references, secrets: files)
    }

    private func secret(named name: String) throws(SecurityError) -> String {
        let paths = folders.map { $0 + "/" + name }
        guard let path = paths.first(where: { FileManager.default.fileExists(atPath: $0) }) else {
            throw .missingSecret(name, tried: paths)
        }
        let data: Data
        do {
            data = try Data(contentsOf: URL(filePath: path))
        } catch {
            throw .unusableSecret(name, path: path, reason: "it cannot be read", cause: error)
        }
        guard data.count <= Self.secretBytesLimit else {
            throw .unusableSecret(
                name, path: path, reason: "it has more than 64 KiB", cause: nil)
        }
        guard var text = String(validating: data, as: UTF8.self) else {
            throw .unusableSecret(name, path: path, reason: "it is not UTF-8", cause: nil)
        }
        // Editors and `echo` end a file with a line break that is no part of the secret.
        if text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else {
            throw .unusableSecret(name, path: path, reason: "it is empty", cause: nil)
        }
        return text
    }
}

/// A text with its references followed.
public struct ResolvedSecret: Sendable {
    /// The whole text.
    public let value: String
    /// The values that references gave, in order; a default that stood in is a literal.
    public let references: [String]
    /// Those of them that `${secret:NAME}` gave.
    public let secrets: [String]
}

extension ResolvedSecret: CustomStringConvertible {
    /// A stand-in, so that no log ever holds the value.
    public var description: String { "ResolvedSecret(…)" }
}
