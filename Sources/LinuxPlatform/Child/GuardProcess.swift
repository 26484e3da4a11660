internal import CLinux

/// The small process that stands between us and a child, and ends the child when we are gone.
///
/// It is our own executable, run again with a hidden first argument. It holds one end of a
/// socket whose other end only we hold: when that closes, for whatever reason, it ends the
/// child's whole process group and every descendant that left the group. A parent-death
/// signal would follow a thread instead of the process, and miss grandchildren.
package enum GuardProcess {
    /// The hidden argument that makes an executable of ours a guard.
    package static let mode = "__guard"

    /// Where the guard finds its socket to us.
    static let lifeline: Int32 = 3

    /// Where the guard finds what is not for everyone to read in its argument list.
    static let order: Int32 = 4

    /// Whether these arguments, the program's own name first, ask for a guard.
    package static func isWanted(_ arguments: [String]) -> Bool {
        arguments.dropFirst().first == mode
    }

    /// Runs the guard until its child and all of the child's descendants are gone.
    ///
    /// - Parameter arguments: As ``arguments(executable:grace:command:)`` makes them.
    /// - Returns: The exit code of the guard: 0, or 2 for arguments that nobody of ours wrote.
    package static func main(arguments: [String]) -> Int32 {
        guard let command = Command(arguments: arguments), let order = readOrder() else {
            return 2
        }
        var child = GuardedChild(grace: command.grace)
        return child.run(command.words, environment: order.environment, in: order.folder)
    }

    /// The argument list that makes `executable` guard `command`.
    static func arguments(executable: String, grace: Duration, command: [String]) -> [String] {
        let milliseconds = grace / .milliseconds(1)
        return [executable, mode, String(Int(milliseconds)), "--"] + command
    }

    /// The bytes of the file that ``order`` names.
    static func orderBytes(environment: [String: String], folder: String?) -> [UInt8] {
        let entries = environment.map { "\($0.key)=\($0.value)" }.sorted()
        return ([folder ?? ""] + entries).flatMap { Array($0.utf8) + [0] }
    }

    private struct Command {
        var grace: Duration
        var words: [String]

        init?(arguments: [String]) {
            guard arguments.count > 4, arguments[1] == mode, arguments[3] == "--",
                let milliseconds = Int(arguments[2])
            else { return nil }
            grace = .milliseconds(milliseconds)
            words = Array(arguments[4...])
        }
    }

    private static func readOrder() -> (environment: [String], folder: String)? {
        let file = FileDescriptor(owning: order)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(file.number, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        guard bytes.last == 0 else { return nil }
        let words = bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        return (environment: Array(words.dropFirst()), folder: words[0])
    }
}
