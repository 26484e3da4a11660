internal import LinuxPlatform

/// Takes connections for all loops of a server.
///
/// It lives on the first of them.
final class Acceptor {
    private let listener: ListeningSocket
    private var reserve = ReserveDescriptor()
    private let loops: [ServerLoop]
    private var turn = 0

    /// When the listener is watched again, if it is not.
    private(set) var pausedUntil: Int64?

    /// Takes connections from `listener` and deals them out to `loops` in turn.
    init(listener: consuming ListeningSocket, loops: [ServerLoop]) {
        self.listener = listener
        self.loops = loops
    }

    func start(_ epoll: borrowing Epoll) throws(LinuxError) {
        try epoll.add(listener.number, for: .readable, token: ServerLoop.listenerToken)
    }

    func stop(_ epoll: borrowing Epoll) {
        epoll.remove(listener.number)
    }

    func accept() -> ListeningSocket.Accepted { listener.accept() }

    /// The loop that the next connection goes to.
    func nextLoop() -> ServerLoop? {
        guard !loops.isEmpty else { return nil }
        turn = (turn + 1) % loops.count
        return loops[turn]
    }

    /// Tells one waiting client why it cannot come in, with the descriptor held back for this.
    ///
    /// If not even that can be done, waits a little: the client stays readable, and the loop would
    /// spin.
    func turnOneAway(
        _ refusal: HTTPRefusal, _ encoder: ResponseEncoder, _ now: Int64,
        _ epoll: borrowing Epoll
    ) {
        var turnedAway = false
        reserve.lend {
            switch listener.accept() {
            case .connection(let socket, _):
                turnedAway = true
                var output: [UInt8] = []
                let response = refusal.response
                if case .whole(let body) = response.body {
                    let context = ResponseEncoder.Context(keepAlive: false)
                    encoder.encode(response, body: body, for: context, to: &output)
                }
                // A fresh socket takes this much at once; if not, the client is closed anyway.
                _ = socket.write(output.span)
            case .none: turnedAway = true
            case .gone: turnedAway = true
            case .exhausted: break
            }
        }
        guard !turnedAway else { return }
        epoll.remove(listener.number)
        pausedUntil = now + 100_000_000
    }

    /// Watches the listener again if it was paused long enough.
    func resumeIfDue(_ now: Int64, _ epoll: borrowing Epoll) {
        guard let pausedUntil, now >= pausedUntil else { return }
        do {
            try start(epoll)
            self.pausedUntil = nil
        } catch {
            self.pausedUntil = now + 100_000_000
        }
    }
}
