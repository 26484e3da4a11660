public import DurableSecurity
internal import OpenSSLCrypto
internal import OrderedJSON

/// A server behind us: how it is reached, and what its tools may do.
public struct UpstreamConfig: Sendable {
    /// How a server is reached.
    public enum Transport: Hashable, Sendable {
        /// A program that we start, and talk to over its standard input and output.
        case stdio(Program)
        /// An address. Not built yet: such a server is named in a warning and left alone.
        case http(url: SecretText, headers: [Variable])
    }

    /// A program with its arguments and surroundings, as they are written.
    public struct Program: Hashable, Sendable {
        /// A path, or a name that is looked up in `PATH`.
        public var command: SecretText
        /// Its arguments, without the name.
        public var arguments: [SecretText]
        /// What is added to its environment.
        public var environment: [Variable]
        /// The folder it starts in, or nil for ours.
        public var workingFolder: SecretText?
    }

    /// A name with a value that is a secret.
    public struct Variable: Hashable, Sendable {
        /// The variable's or header's name.
        public var name: String
        /// Its value.
        public var value: SecretText
    }

    /// Its name, the first part of `<server>__<tool>`.
    public let name: String
    /// How it is reached.
    public var transport: Transport
    /// What its tools may do.
    public var policy: ToolPolicy
    /// Whether it is in use; `"disabled": true` keeps an entry without using it.
    public var isEnabled = true

    init(name: String, transport: Transport, policy: ToolPolicy) {
        self.name = name
        self.transport = transport
        self.policy = policy
    }
}

extension UpstreamConfig {
    /// A digest of how it is reached, which tells nothing of it to who has not the key.
    ///
    /// A run is pinned to it. It covers what is written, not what references give, so a rotated
    /// secret leaves runs where they are; the policy is no part of it.
    ///
    /// - Parameter key: A secret of the store, so that all its processes agree.
    /// - Returns: 52 characters of lower-case Base32.
    public func fingerprint(key: [UInt8]) -> String {
        Base32.encode(HMACSHA256.code(for: connection.canonicalBytes(), key: key))
    }

    private var connection: JSONValue {
        func object(_ variables: [Variable]) -> JSONValue {
            .object(JSONObject(variables.map { ($0.name, .string($0.value.written)) }))
        }
        switch transport {
        case .stdio(let program):
            return [
                "version": 1, "name": .string(name), "command": .string(program.command.written),
                "args": .array(program.arguments.map { .string($0.written) }),
                "env": object(program.environment),
                "cwd": program.workingFolder.map { .string($0.written) } ?? .null,
            ]
        case .http(let url, let headers):
            return [
                "version": 1, "name": .string(name), "url": .string(url.written),
                "headers": object(headers),
            ]
        }
    }
}

/// A program with every reference followed, ready to be started.
public struct ResolvedProgram: Sendable {
    /// A path, or a name that is looked up in `PATH`.
    public let command: String
    /// Its arguments, without the name.
    public let arguments: [String]
    /// What is added to its environment.
    public let environment: [String: String]
    /// The folder it starts in, or nil for ours.
    public let workingFolder: String?
    /// Takes out of its output whatever it must not show.
    public let scrubber: Scrubber
}

extension UpstreamConfig.Program {
    /// Follows every reference; call it when the program is about to be started.
    ///
    /// Values of the environment are secrets. Of the rest only what `${secret:NAME}` gives is:
    /// arguments are seen by every user of the machine, and a folder's path belongs in results.
    ///
    /// - Throws: ``SecurityError``, naming the reference.
    public func resolved(from source: SecretSource) throws(SecurityError) -> ResolvedProgram {
        var scrubber = Scrubber()
        func plain(_ text: SecretText) throws(SecurityError) -> String {
            let resolved = try source.resolve(text)
            for secret in resolved.secrets { scrubber.add(secret) }
            return resolved.value
        }
        var values: [String: String] = [:]
        for variable in environment {
            let resolved = try source.resolve(variable.value)
            scrubber.add(resolved)
            values[variable.name] = resolved.value
        }
        var resolvedArguments: [String] = []
        for argument in arguments { resolvedArguments.append(try plain(argument)) }
        let folder: String?
        if let workingFolder { folder = try plain(workingFolder) } else { folder = nil }
        return ResolvedProgram(
            command: try plain(command), arguments: resolvedArguments, environment: values,
            workingFolder: folder, scrubber: scrubber)
    }
}
