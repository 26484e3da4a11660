internal import LinuxPlatform
internal import OrderedJSON

/// What commands write, and where: what was asked for to standard output, the rest to standard
/// error.
struct CommandOutput: Sendable {
    /// Writes what was asked for.
    func write(_ text: String) throws(CommandFailure) {
        guard StandardStreams.writeOutput(text) else {
            throw CommandFailure("Nobody reads the output any more.")
        }
    }

    /// Writes a JSON value that was asked for.
    func write(_ object: JSONObject) throws(CommandFailure) {
        try write(SafeText.json(.object(object), pretty: true) + "\n")
    }

    /// Writes what a person should know beside.
    func note(_ text: String) {
        // Nobody reads it: then there is nobody to tell.
        _ = StandardStreams.writeError(text + "\n")
    }
}
