/// Writes the body of a streamed response.
///
/// It may be used from any task until the closure that got it returns.
public struct HTTPStreamWriter: Sendable {
    let loop: ServerLoop
    let connection: ConnectionID

    /// Sends `bytes` after all that was written before.
    ///
    /// Suspends while the client has more than ``HTTPLimits/streamBufferBytes`` still to take.
    /// Bytes of one call are never mixed with those of another or with keep-alive bytes, so a
    /// whole event belongs into one call.
    ///
    /// - Throws: `.disconnected` once the client has gone or was cut off.
    public func write(_ bytes: [UInt8]) async throws(HTTPServerError) {
        try await loop.write(bytes, to: connection)
    }

    /// Sends `text` as UTF-8, like the bytes.
    ///
    /// - Throws: `.disconnected` once the client has gone or was cut off.
    public func write(_ text: String) async throws(HTTPServerError) {
        try await write(Array(text.utf8))
    }

    /// Sends one server-sent event.
    ///
    /// - Parameters:
    ///   - data: The event's data; each of its lines becomes one `data:` line.
    ///   - event: The event's type, if it is not `message`.
    ///   - id: The event's id, if it has one.
    /// - Throws: `.disconnected` once the client has gone or was cut off.
    public func send(
        data: String, event: String? = nil, id: String? = nil
    ) async throws(HTTPServerError) {
        var text = ""
        if let event { text += "event: \(Self.line(event))\n" }
        if let id { text += "id: \(Self.line(id))\n" }
        // A lone carriage return ends a line of an event stream too.
        for line in data.split(
            omittingEmptySubsequences: false, whereSeparator: { $0.isNewlineOfEventStream })
        {
            text += "data: \(line)\n"
        }
        try await write(text + "\n")
    }

    /// A text cut at its first line break, as a one-line field needs it.
    private static func line(_ text: String) -> Substring {
        text.prefix { !$0.isNewlineOfEventStream }
    }
}

extension Character {
    /// Whether it ends a line of an event stream; CR LF is one character.
    fileprivate var isNewlineOfEventStream: Bool {
        self == "\n" || self == "\r" || self == "\r\n"
    }
}
