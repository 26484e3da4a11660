/// Why a command did not do what it was asked to.
struct CommandFailure: Error, CustomStringConvertible {
    /// What was tried, on what, and the remedy.
    let message: String
    /// How the program ends.
    let code: ExitCode

    /// A failure of the world.
    init(_ message: String) {
        self.message = message
        code = .failed
    }

    private init(_ message: String, code: ExitCode) {
        self.message = message
        self.code = code
    }

    /// A value on the command line that cannot be right.
    static func usedWrongly(_ message: String) -> Self { Self(message, code: .usedWrongly) }

    /// The message.
    var description: String { message }
}
