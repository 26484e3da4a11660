internal import DurableEngine

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

    /// Why a list could not be read: of all that a caller gives, only a cursor can be wrong.
    static func listing(_ error: EngineError) -> Self {
        error.code == .wrongState
            ? .usedWrongly("--cursor is none that a page of this list gave.")
            : Self(error.message)
    }

    /// The message.
    var description: String { message }
}
