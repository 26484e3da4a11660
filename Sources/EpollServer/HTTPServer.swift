internal import LinuxPlatform
internal import Synchronization

/// An HTTP/1.1 server on Linux: keep-alive, pipelining, streams, limits and deadlines.
///
/// Requests reach the handler whole; their bodies are bounded. TLS and HTTP/2 are the work of a
/// proxy in front. What is not clearly HTTP/1.1 (RFC 9112) is refused, never repaired.
public final class HTTPServer: Sendable {
    /// Answers one request.
    ///
    /// It runs on a loop's thread, and so do the `@concurrent` functions and the actors without an
    /// executor of their own that it calls. Work that takes the processor for long must leave, by
    /// `withTaskExecutorPreference(globalConcurrentExecutor)`, or other clients wait for it.
    /// The handler's task is cancelled when its client goes away.
    public typealias Handler = @Sendable (HTTPRequest) async -> HTTPResponse

    private let address: String
    private let loopCount: Int
    private let state: ServerState
    private let inboxes = Mutex<[LoopInbox]>([])

    /// Makes a server that does nothing yet.
    ///
    /// - Parameters:
    ///   - address: An IP address and a port, `127.0.0.1:8765` or `[::1]:0`; port 0 asks the system
    ///     for a free one.
    ///   - limits: What clients may take up.
    ///   - loops: How many threads serve, at least 1.
    ///   - clock: The time that deadlines go by.
    ///   - handler: Answers each request.
    public init(
        address: String, limits: HTTPLimits = HTTPLimits(), loops: Int = 1,
        clock: any HTTPClock = SystemHTTPClock(), handler: @escaping Handler
    ) {
        precondition(loops >= 1, "A server needs a loop.")
        self.address = address
        loopCount = loops
        state = ServerState(limits: limits, clock: clock, handler: handler)
    }

    /// Starts to listen; clients that connect wait until ``run()``.
    ///
    /// - Returns: The port, chosen by the system if 0 was asked for.
    /// - Throws: `.cannotListen`, naming the address and the system's reason.
    @discardableResult
    public func bind() throws(HTTPServerError) -> Int {
        do throws(LinuxError) {
            let socket = try ListeningSocket(address: SocketAddress(parsing: address))
            let port = Int(socket.address.port)
            var place: ListeningSocket? = socket
            state.listener.withLock { swap(&$0.socket, &place) }
            return port
        } catch {
            throw .cannotListen(on: address, cause: error)
        }
    }

    /// Serves until ``drain(within:)`` is called or the task is cancelled, and all is answered.
    ///
    /// Cancelling the task drains within a second.
    ///
    /// - Throws: `.cannotListen` if ``bind()`` was not called and fails now; `.exhausted` if the
    ///   system gives no thread or descriptor.
    public func run() async throws(HTTPServerError) {
        if state.listener.withLock({ $0.socket == nil }) { try bind() }
        let loops = try makeLoops()
        var error: LinuxError?
        await withTaskCancellationHandler {
            await withTaskGroup(of: LinuxError?.self) { group in
                for (index, loop) in loops.enumerated() {
                    group.addTask {
                        await self.runThread(of: loop, acceptingFor: index == 0 ? loops : [])
                    }
                }
                for await failure in group {
                    guard let failure else { continue }
                    // Without one of its threads the server would serve only some clients.
                    self.drain(within: .zero)
                    error = error ?? failure
                }
            }
        } onCancel: {
            drain(within: .seconds(1))
        }
        if let error { throw .exhausted(cause: error) }
    }

    /// Stops accepting, lets requests in flight finish, and makes ``run()`` return.
    ///
    /// - Parameter time: After this, handlers that still run are cancelled and their connections
    ///   cut. A later call may shorten it.
    public func drain(within time: Duration = .seconds(10)) {
        let deadline = state.clock.nanoseconds() &+ max(0, time.nanoseconds)
        state.drainDeadline.min(
            deadline < 0 ? Connection.never - 1 : deadline, ordering: .acquiringAndReleasing)
        for inbox in inboxes.withLock({ $0 }) { inbox.wake() }
    }

    private func makeLoops() throws(HTTPServerError) -> [ServerLoop] {
        do throws(LinuxError) {
            var loops: [ServerLoop] = []
            for _ in 0..<loopCount { loops.append(try ServerLoop(server: state)) }
            let made = loops.map(\.inbox)
            inboxes.withLock { $0 = made }
            state.clock.whenAdvanced { for inbox in made { inbox.wake() } }
            return loops
        } catch {
            throw .exhausted(cause: error)
        }
    }

    /// Runs a loop on a thread of its own; gives the reason if it could not be started.
    private func runThread(
        of loop: ServerLoop, acceptingFor loops: [ServerLoop]
    ) async -> LinuxError? {
        await withCheckedContinuation { ended in
            do throws(LinuxError) {
                try SystemThread.start(named: "http-loop") {
                    do throws(LinuxError) {
                        try loop.run(acceptingFor: loops)
                        ended.resume(returning: nil)
                    } catch {
                        ended.resume(returning: error)
                    }
                }
            } catch {
                ended.resume(returning: error)
            }
        }
    }
}
