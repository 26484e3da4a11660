import MCPProtocol
import OrderedJSON
import Synchronization

/// Where a handler says how far a request has come.
///
/// Values only ever rise on the wire, and nothing is sent once the request is answered or
/// cancelled, whatever a handler does.
public final class ProgressSink: Sendable {
    private struct State {
        var last: Double?
        var isFinished = false
    }

    /// By how much a sign of life raises the value.
    private static let nudge = 0.001

    private let token: ProgressToken?
    private let state = Mutex(State())
    /// Takes a notification; called under the lock so that order holds, and so only enqueues.
    private let enqueue: @Sendable (JSONRPCNotification) -> Void

    init(token: ProgressToken?, enqueue: @escaping @Sendable (JSONRPCNotification) -> Void) {
        self.token = token
        self.enqueue = enqueue
    }

    /// A sink that nobody listens to.
    public static let discarding = ProgressSink(token: nil) { _ in }

    /// Whether the client asked for progress.
    public var isWanted: Bool { token != nil }

    /// Tells the client how far the work has come; does nothing where it did not ask.
    ///
    /// - Parameters:
    ///   - progress: More than before. A value that is not more is sent only for its message,
    ///     as a small step; one that is not finite is not sent.
    ///   - total: What `progress` runs up to, where that is known.
    ///   - message: What is being done, for people.
    public func report(_ progress: Double, total: Double? = nil, message: String? = nil) {
        guard let token, progress.isFinite else { return }
        state.withLock { state in
            guard !state.isFinished else { return }
            var value = progress
            if let last = state.last, value <= last {
                guard message != nil else { return }
                value = last + Self.nudge
            }
            state.last = value
            enqueue(Self.notification(token, value, total: total, message: message))
        }
    }

    /// Sends a sign of life, so that the client does not give up; does nothing where it did not
    /// ask for progress.
    func keepAlive() {
        guard let token else { return }
        state.withLock { state in
            guard !state.isFinished else { return }
            let value = (state.last ?? 0) + Self.nudge
            state.last = value
            enqueue(Self.notification(token, value, total: nil, message: nil))
        }
    }

    /// Lets nothing more through.
    func finish() { state.withLock { $0.isFinished = true } }

    private static func notification(
        _ token: ProgressToken, _ value: Double, total: Double?, message: String?
    ) -> JSONRPCNotification {
        var params: JSONObject = ["progressToken": token.json, "progress": json(value)]
        params["total"] = total.flatMap { JSONNumber($0) }.map(JSONValue.number)
        params["message"] = message.map(JSONValue.string)
        return JSONRPCNotification(method: Method.progress, params: params)
    }

    private static func json(_ value: Double) -> JSONValue {
        JSONNumber(value).map(JSONValue.number) ?? 0
    }
}
