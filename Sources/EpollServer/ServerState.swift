internal import LinuxPlatform
internal import Synchronization

/// A place for the listener between binding and serving.
struct ListenerPlace: ~Copyable {
    var socket: ListeningSocket?
}

/// What the loops of one server share.
final class ServerState: Sendable {
    let limits: HTTPLimits
    let clock: any HTTPClock
    let handler: HTTPServer.Handler

    /// The listener, from `bind()` until the loop that accepts takes it.
    let listener = Mutex(ListenerPlace())
    /// Connections on all loops.
    let connections = Atomic<Int>(0)
    /// Open streams on all loops.
    let streams = Atomic<Int>(0)
    /// When the last handler is cancelled; `never` unless the server is being drained.
    let drainDeadline = Atomic<Int64>(Connection.never)

    /// Whether the server was told to end.
    var isToDrain: Bool { drainDeadline.load(ordering: .acquiring) != Connection.never }

    init(limits: HTTPLimits, clock: any HTTPClock, handler: @escaping HTTPServer.Handler) {
        self.limits = limits
        self.clock = clock
        self.handler = handler
    }
}

extension Duration {
    /// In whole nanoseconds, as far as they can be counted.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        return product.addingReportingOverflow(attoseconds / 1_000_000_000).partialValue
    }
}
