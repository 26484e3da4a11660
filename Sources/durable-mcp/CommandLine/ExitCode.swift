/// How the program ends.
enum ExitCode: Int32 {
    /// What was asked for was done.
    case done = 0
    /// It could not be done.
    case failed = 1
    /// It was asked for in a way that is not understood.
    case usedWrongly = 2
}
