internal import LinuxPlatform

/// Names one connection of a loop, also after it has gone and its descriptor serves another.
struct ConnectionID: Hashable, Sendable {
    let descriptor: Int32
    let generation: UInt32

    /// Both numbers in one, as epoll hands it back.
    var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }

    init(descriptor: Int32, generation: UInt32) {
        self.descriptor = descriptor
        self.generation = generation
    }

    init(token: UInt64) {
        descriptor = Int32(truncatingIfNeeded: token)
        generation = UInt32(token >> 32)
    }
}

/// One client.
///
/// It lives on its loop and never leaves it.
final class Connection {
    /// What the connection is in the middle of.
    enum Activity {
        /// A request is awaited or arrives.
        case reading
        /// A handler has the request.
        case handling
        /// A handler writes the body of the response.
        case streaming
        /// The last response is being sent; whatever arrives is thrown away.
        case closing
        /// Everything was sent and the output ended; the client is left to read it.
        case lingering
    }

    let id: ConnectionID
    let socket: ConnectedSocket
    let remoteAddress: String

    var activity = Activity.reading
    var parser: RequestParser
    var input = InputBuffer()
    /// The client sends no more.
    var inputEnded = false
    /// The kernel says so already, though bytes before that end are still unread.
    var peerHasEnded = false
    var discardedBytes = 0

    /// What was written but not sent starts at ``sent``.
    var output: [UInt8] = []
    var sent = 0
    /// How much was ever sent, and how much must be before ``outputDeadline``.
    var sentBytes = 0
    var outputMark = 0
    /// The next request is not looked at before the client has taken more of its responses.
    var waitsForOutput = false
    /// The kernel took less than it was given, and tells when it takes more.
    var outputBlocked = false
    /// Listed for sending at the end of the tick.
    var isDirty = false

    var context = ResponseEncoder.Context()
    /// The handler's task, cancelled when the client goes.
    var task: Task<Void, Never>?
    /// Writers of the stream that wait for room; told whether there is some.
    var writers: [CheckedContinuation<Bool, Never>] = []
    /// What a silent stream sends.
    var keepAlive: [UInt8] = []

    var interest = Readiness.none
    var phase: RequestParser.Phase?
    var hadRequest = false

    // Moments in nanoseconds; `never` for none.
    var inputDeadline = Connection.never
    var outputDeadline = Connection.never
    var keepAliveTime = Connection.never
    /// The earliest entry for this connection in the queue of deadlines.
    var queuedTime = Connection.never

    static let never = Int64.max

    init(
        id: ConnectionID, socket: consuming ConnectedSocket, remoteAddress: String,
        limits: HTTPLimits
    ) {
        self.id = id
        self.socket = socket
        self.remoteAddress = remoteAddress
        parser = RequestParser(limits: limits, remoteAddress: remoteAddress)
    }

    /// Bytes that were written but not sent.
    var unsentBytes: Int { output.count - sent }

    /// The first of its deadlines.
    var nextTime: Int64 { min(inputDeadline, outputDeadline, keepAliveTime) }

    /// What epoll should tell about it.
    func wantedInterest(_ limits: HTTPLimits) -> Readiness {
        var wanted = outputBlocked ? Readiness.writable : .none
        guard !inputEnded else { return wanted }
        // The end of input is the sign that the client has gone, so it is always watched for; bytes
        // only as long as there is room for them.
        if !peerHasEnded { wanted = wanted | .inputEnded }
        let isBusy = activity == .handling || waitsForOutput
        if !isBusy || input.count < limits.pipelinedBytes { wanted = wanted | .readable }
        return wanted
    }
}
