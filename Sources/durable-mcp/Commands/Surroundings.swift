internal import DurableMCP
internal import DurableSecurity
internal import FoundationEssentials
internal import LinuxPlatform

/// What a command finds around it: the environment, the folder and the user.
struct Surroundings: Sendable {
    var environment: [String: String]
    /// Absolute; where relative paths start.
    var folder: String
    /// The name of the operating system's user.
    var login: String

    /// Those of this process.
    static func current() -> Surroundings {
        Surroundings(
            environment: ProcessInfo.processInfo.environment,
            folder: FileManager.default.currentDirectoryPath, login: CurrentUser.login)
    }

    /// The one who types commands.
    var principal: Principal { .commandLine(login: login) }

    /// The home folder, where it is known and absolute.
    var home: String? { environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } }

    /// Where the config is looked for if none is named.
    var standardConfigPath: String? {
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
            return folder + "/durable-mcp/config.json"
        }
        return home.map { $0 + "/.config/durable-mcp/config.json" }
    }

    /// The config that the options name, or the standard one, or none.
    func config(_ options: CommonOptions) throws(CommandFailure) -> ServerConfig {
        let path: String
        if let named = options.config {
            path = named
        } else {
            guard let standard = standardConfigPath,
                FileManager.default.fileExists(atPath: standard)
            else { return ServerConfig() }
            path = standard
        }
        do throws(ConfigError) {
            return try ServerConfig(path: path)
        } catch {
            throw CommandFailure(error.message)
        }
    }

    /// The store that the options name, or the config, or the standard one.
    func store(
        _ options: CommonOptions, _ config: ServerConfig
    ) throws(CommandFailure) -> StoreURL {
        do throws(ConfigError) {
            return try StoreURL.chosen(
                option: options.store, config: config, environment: environment,
                currentFolder: folder)
        } catch {
            throw options.store == nil
                ? CommandFailure(error.message) : .usedWrongly(error.message)
        }
    }

    /// Where the values behind references in a config come from.
    func secrets(_ config: ServerConfig) -> SecretSource {
        SecretSource(environment: environment, configFolder: config.folder)
    }
}
