internal import CLinux

/// Threads of our own, for work that blocks and so may not run on the cooperative pool.
package enum SystemThread {
    /// Starts a detached thread that runs `body` and ends with it.
    ///
    /// - Parameters:
    ///   - name: Shown by debuggers and `ps -L`; cut to 15 bytes.
    ///   - body: Runs once, on the new thread.
    /// - Throws: `.exhausted` if the system gives no more threads.
    package static func start(
        named name: String, _ body: @escaping @Sendable () -> Void
    ) throws(LinuxError) {
        let start = Unmanaged.passRetained(Start(name: name, body: body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                // A name is only for people who look; failing to set it does not matter.
                _ = durable_name_thread(String(start.name.prefix(15)))
                start.body()
                return nil
            }, start.toOpaque())
        guard code == 0 else {
            start.release()
            throw .call("start the thread '\(name)'", number: code)
        }
    }

    /// A number that tells the calling thread from every other live one.
    package static var currentIdentity: UInt { UInt(pthread_self()) }

    private final class Start {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}
