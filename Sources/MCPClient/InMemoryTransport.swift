package import OrderedJSON
internal import Synchronization

/// A connection without a process: what is sent is handed to a closure that plays the server.
package final class InMemoryTransport: ClientTransport {
    /// The server's end of a connection.
    package struct ServerEnd: Sendable {
        fileprivate let transport: InMemoryTransport

        /// Sends a message to the client.
        package func send(_ message: JSONValue) { send(bytes: message.serialized()) }

        /// Sends bytes to the client, as one message.
        package func send(bytes: [UInt8]) {
            transport.state.withLock(\.events)?.received(bytes)
        }

        /// Ends the connection as a crash would, once.
        package func end(_ reason: String) { transport.end(TransportEnd(reason: reason)) }
    }

    private struct State {
        var events: (any ClientTransportEvents)?
        var held: [OutgoingMessage] = []
        var isHolding = false
        var isOver = false
    }

    private let state = Mutex(State())
    private let play: @Sendable (JSONValue, ServerEnd) -> Void

    /// A connection to a server that `play` plays: it gets each message, as it is sent.
    package init(_ play: @escaping @Sendable (JSONValue, ServerEnd) -> Void) { self.play = play }

    package let complaints = ""

    /// Keeps messages back from the server, as a full pipe does, until told otherwise.
    package func hold(_ holds: Bool) {
        let released = state.withLock { state -> [OutgoingMessage] in
            state.isHolding = holds
            guard !holds else { return [] }
            defer { state.held = [] }
            return state.held
        }
        for message in released { deliver(message) }
    }

    package func open(_ events: any ClientTransportEvents) {
        state.withLock { $0.events = events }
    }

    package func send(_ message: OutgoingMessage) -> Bool {
        let (isAccepted, isHeld) = state.withLock { state in
            if state.isHolding { state.held.append(message) }
            return (!state.isOver, state.isHolding)
        }
        if isAccepted, !isHeld { deliver(message) }
        return isAccepted
    }

    package func withdraw(_ number: UInt64) -> Bool {
        state.withLock { state in
            guard let index = state.held.firstIndex(where: { $0.number == number }) else {
                return false
            }
            state.held.remove(at: index)
            return true
        }
    }

    package func close() async { end(TransportEnd(reason: "it was closed")) }

    private func end(_ end: TransportEnd) {
        let (events, unsent) = state.withLock { state in
            defer {
                state.events = nil
                state.isOver = true
            }
            return (state.events, Set(state.held.map(\.number)))
        }
        var end = end
        end.unsent = unsent
        events?.ended(end)
    }

    private func deliver(_ message: OutgoingMessage) {
        // What cannot be read back was no JSON, which a client never sends.
        guard let value = try? JSONValue(parsing: message.bytes) else {
            preconditionFailure("A client sends JSON.")
        }
        play(value, ServerEnd(transport: self))
    }
}
