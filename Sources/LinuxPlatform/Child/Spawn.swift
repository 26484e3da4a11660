internal import CLinux

/// Starts programs: an argument list, never a shell.
enum Spawn {
    /// What a new process gets.
    struct Request {
        /// The file to execute.
        var path: String
        /// The argument list, the program's own name first.
        var arguments: [String]
        /// The whole environment, as `NAME=value`.
        var environment: [String]
        /// Descriptors it inherits, in the order of the numbers 0, 1, 2, and so on.
        var descriptors: [Int32]
    }

    /// Starts a process as the leader of a new session, with signals as the system sets them.
    ///
    /// - Returns: The process id, or the error number of `posix_spawn(3)`.
    static func start(_ request: Request) -> Result<pid_t, SpawnFailure> {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, descriptor) in request.descriptors.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
        }
        durable_spawn_closing_from(&actions, Int32(request.descriptors.count))

        durable_spawn_afresh(&attributes)

        var process = pid_t()
        let code = withCStrings(request.arguments) { arguments in
            withCStrings(request.environment) { environment in
                posix_spawn(
                    &process, request.path, &actions, &attributes, arguments, environment)
            }
        }
        return code == 0 ? .success(process) : .failure(SpawnFailure(number: code))
    }

    /// The error number of a program that could not be started.
    struct SpawnFailure: Error {
        let number: Int32
    }

    private static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return withUnsafeTemporaryAllocation(
            of: UnsafeMutablePointer<CChar>?.self, capacity: copies.count + 1
        ) { list in
            for (index, copy) in copies.enumerated() { list.initializeElement(at: index, to: copy) }
            list.initializeElement(at: copies.count, to: nil)
            // The allocation has at least one element, so its address is never nil.
            return list.baseAddress.map(body).unsafelyUnwrapped
        }
    }
}
