internal import LinuxPlatform
internal import Synchronization

/// One thread that waits for many connections, and everything that belongs to it.
///
/// The thread runs ``run()``; each tick polls, reads, runs the jobs of tasks, and sends what was
/// written meanwhile. Handlers' tasks run here too until they go elsewhere.
actor ServerLoop {
    static let wakeToken = UInt64.max
    static let listenerToken = UInt64.max - 1

    let server: ServerState
    nonisolated let inbox: LoopInbox
    nonisolated let isolation: LoopIsolation
    nonisolated let executor: LoopExecutor

    var epoll: Epoll
    var events: [Epoll.Event] = []
    var scratch = [UInt8](repeating: 0, count: 64 * 1024)
    /// By descriptor.
    var connections: [Connection?] = []
    var connectionCount = 0
    var generation: UInt32 = 0
    var deadlines = DeadlineQueue()
    var dirty: [Connection] = []
    var encoder = ResponseEncoder()
    var now: Int64
    /// Handlers that have not returned.
    var handlerCount = 0
    var isDraining = false
    /// Taken from the loop when draining starts; nil on loops that do not accept.
    var acceptor: Acceptor?

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe isolation.asUnownedSerialExecutor()
    }

    init(server: ServerState) throws(LinuxError) {
        self.server = server
        let inbox = try LoopInbox()
        self.inbox = inbox
        isolation = LoopIsolation(inbox: inbox)
        executor = LoopExecutor(inbox: inbox)
        epoll = try Epoll()
        now = server.clock.nanoseconds()
        try epoll.add(inbox.wakeUp.number, for: .readable, token: Self.wakeToken)
    }

    // MARK: The thread

    /// Serves until the server is drained.
    ///
    /// Called once, on a thread of its own.
    ///
    /// - Parameter loops: On the loop that accepts, all loops of the server; empty on the others.
    /// - Throws: What the system said if the listener cannot be watched.
    nonisolated func run(acceptingFor loops: [ServerLoop]) throws(LinuxError) {
        inbox.adopt()
        if !loops.isEmpty {
            let started = assumeIsolated { loop -> Result<Void, LinuxError> in
                Result { () throws(LinuxError) in try loop.startAccepting(for: loops) }
            }
            try started.get()
        }
        var batch: [LoopInbox.Job] = []
        repeat {
            assumeIsolated { $0.poll() }
            // Each pass lets every connection take a step, so pipelined requests are answered in
            // few writes; a bound on the passes lets new bytes in.
            for _ in 0..<128 {
                inbox.take(into: &batch)
                guard !batch.isEmpty else { break }
                for job in batch { run(job) }
                batch.removeAll(keepingCapacity: true)
            }
        } while !(assumeIsolated { $0.endTick() } && inbox.stop())
    }

    /// Takes the server's listener and watches it.
    private func startAccepting(for loops: [ServerLoop]) throws(LinuxError) {
        var listener: ListeningSocket?
        server.listener.withLock { swap(&$0.socket, &listener) }
        guard let listener else { return }
        let acceptor = Acceptor(listener: listener, loops: loops)
        try acceptor.start(epoll)
        self.acceptor = acceptor
    }

    private nonisolated func run(_ job: LoopInbox.Job) {
        if job.isIsolated {
            unsafe job.job.runSynchronously(on: isolation.asUnownedSerialExecutor())
        } else {
            unsafe job.job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
    }

    private func poll() {
        let sleeps = inbox.fallAsleep()
        epoll.wait(milliseconds: sleeps ? timeout() : 0, into: &events)
        inbox.awake()
        now = server.clock.nanoseconds()
        encoder.setDate(secondsSince1970: server.clock.secondsSince1970())
        for event in events { handle(event) }
        while let entry = deadlines.takeDue(now) { lookAt(entry) }
        acceptor?.resumeIfDue(now, epoll)
    }

    /// Milliseconds until something is due, rounded up; -1 if nothing is.
    private func timeout() -> Int32 {
        var next = min(
            deadlines.next ?? Connection.never, acceptor?.pausedUntil ?? Connection.never)
        // Draining starts at the end of a tick, so none may wait once it is asked for.
        if server.isToDrain, !isDraining { return 0 }
        if handlerCount > 0 || connectionCount > 0 {
            next = min(next, server.drainDeadline.load(ordering: .acquiring))
        }
        guard next != Connection.never else { return -1 }
        let wait = next - server.clock.nanoseconds()
        return Int32(min(max(0, (wait + 999_999) / 1_000_000), 60_000))
    }

    /// Sends what the tick wrote; true once there is nothing left to serve.
    private func endTick() -> Bool {
        for connection in dirty {
            connection.isDirty = false
            flush(connection)
        }
        dirty.removeAll(keepingCapacity: true)
        guard server.isToDrain else { return false }
        if !isDraining { startDraining() }
        if now >= server.drainDeadline.load(ordering: .acquiring) { cutAll() }
        return connectionCount == 0 && handlerCount == 0
    }

    // MARK: Events

    private func handle(_ event: Epoll.Event) {
        switch event.token {
        case Self.wakeToken:
            inbox.wakeUp.reset()
            for arrival in inbox.takeArrivals() {
                let peer = arrival.peer
                admit(ConnectedSocket(arrival), from: peer)
            }
        case Self.listenerToken: acceptAll()
        default:
            guard let connection = connection(ConnectionID(token: event.token)) else { return }
            handle(event.readiness, of: connection)
        }
    }

    private func handle(_ readiness: Readiness, of connection: Connection) {
        if readiness.has(.failed) { return close(connection) }
        if connection.interest.has(.readable) {
            if readiness.has(.readable | .inputEnded | .hungUp) { read(connection) }
        } else if readiness.has(.hungUp) {
            return close(connection)
        } else if readiness.has(.inputEnded) {
            // Its last bytes wait until there is room for them; that it has gone counts now.
            connection.peerHasEnded = true
            connection.task?.cancel()
            watch(connection)
        }
        if readiness.has(.writable) { flush(connection) }
    }

    func connection(_ id: ConnectionID) -> Connection? {
        let index = Int(id.descriptor)
        guard connections.indices.contains(index), let connection = connections[index],
            connection.id == id
        else { return nil }
        return connection
    }

    private func acceptAll() {
        guard let acceptor else { return }
        for _ in 0..<64 {
            switch acceptor.accept() {
            case .connection(let socket, let peer):
                let loop = acceptor.nextLoop() ?? self
                if loop === self {
                    admit(socket, from: peer)
                } else {
                    loop.inbox.put(socket.release(peer: peer))
                }
            case .none: return
            case .gone: continue
            case .exhausted:
                acceptor.turnOneAway(HTTPRefusal.noDescriptors(), encoder, now, epoll)
            }
        }
    }

    /// Takes a new connection on, if only to refuse it.
    func admit(_ socket: consuming ConnectedSocket, from peer: SocketAddress) {
        let count = server.connections.add(1, ordering: .relaxed).newValue
        // A few beyond the limit are told why; more than that are just closed.
        guard count <= server.limits.connections + 64, !isDraining else {
            server.connections.subtract(1, ordering: .relaxed)
            return
        }
        socket.sendWithoutDelay()
        generation &+= 1
        let id = ConnectionID(descriptor: socket.number, generation: generation)
        let connection = Connection(
            id: id, socket: socket, remoteAddress: peer.description, limits: server.limits)
        let index = Int(id.descriptor)
        while connections.count <= index { connections.append(nil) }
        connections[index] = connection
        connectionCount += 1
        connection.interest = .readable | .inputEnded
        do {
            try epoll.add(connection.socket.number, for: connection.interest, token: id.token)
        } catch {
            // The kernel has no memory to watch it with.
            return close(connection)
        }
        if count > server.limits.connections {
            refuse(connection, .tooManyConnections(limit: server.limits.connections))
        } else {
            advance(connection)
        }
    }

    // MARK: Deadlines

    /// Makes sure that the loop looks at a connection when its next deadline comes.
    func schedule(_ connection: Connection) {
        let next = connection.nextTime
        guard next < connection.queuedTime else { return }
        connection.queuedTime = next
        deadlines.add(DeadlineQueue.Entry(nanoseconds: next, connection: connection.id))
    }

    private func lookAt(_ entry: DeadlineQueue.Entry) {
        guard let connection = connection(entry.connection),
            connection.queuedTime == entry.nanoseconds
        else { return }
        connection.queuedTime = Connection.never
        if connection.outputDeadline <= now {
            connection.socket.abortOnClose()
            return close(connection)
        }
        if connection.keepAliveTime <= now { sendKeepAlive(connection) }
        if connection.inputDeadline <= now {
            connection.inputDeadline = Connection.never
            inputIsLate(connection)
        }
        schedule(connection)
    }

    private func inputIsLate(_ connection: Connection) {
        switch (connection.activity, connection.phase) {
        case (.reading, .head):
            refuse(connection, .headTooSlow(after: server.limits.headDeadline))
        case (.reading, .body):
            refuse(connection, .bodyTooSlow(after: server.limits.bodyDeadline))
        default: close(connection)
        }
    }

    // MARK: Draining

    private func startDraining() {
        isDraining = true
        acceptor?.stop(epoll)
        acceptor = nil
        for case let connection? in connections where isIdle(connection) {
            // A request that has just arrived is still served.
            read(connection)
            guard isIdle(connection) else { continue }
            if connection.unsentBytes == 0 {
                close(connection)
            } else {
                connection.activity = .closing
            }
        }
    }

    private func isIdle(_ connection: Connection) -> Bool {
        connection.activity == .reading && !connection.waitsForOutput
            && connection.parser.phase(connection.input) == .idle
    }

    private func cutAll() {
        for case let connection? in connections { close(connection) }
    }
}
