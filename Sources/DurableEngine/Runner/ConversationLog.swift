package import DurableLog
internal import OrderedJSON

/// Reads a conversation's events, and checks the chain of their digests as it goes.
package struct ConversationLog: Sendable {
    /// Where a conversation ends.
    package struct End: Sendable {
        /// The sequence of its last event; 0 where it has none.
        package var sequence: Int64
        /// The digest of its last event.
        package var digest: [UInt8]
    }

    private static let pageSize = 1000

    private let store: any EventStore
    private let keys: StoreKeys

    /// A reader of this store.
    package init(store: any EventStore, keys: StoreKeys) {
        self.store = store
        self.keys = keys
    }

    /// Hands each event of a conversation to `body`, oldest first.
    ///
    /// - Throws: `StoreError` where it cannot be read or its chain is broken; ``EngineError``
    ///   `.unreadableEvent` for an event that this version does not know.
    package func read(
        _ conversation: ConversationID, _ body: (EngineEvent, Int64) throws -> Void
    ) async throws -> End {
        var end = End(sequence: 0, digest: EventChain.start)
        while true {
            let page = try await store.events(
                of: conversation, after: end.sequence, limit: Self.pageSize)
            for stored in page {
                let event = stored.event
                let digest = EventChain.digest(
                    after: end.digest, conversation: conversation, sequence: stored.sequence,
                    epoch: stored.epoch, type: event.type, version: event.version,
                    time: event.time, leaf: keys.auditLeaf(event.payload))
                guard stored.sequence == end.sequence + 1, digest == event.digest else {
                    throw StoreError(
                        code: .corrupt,
                        message: """
                            Event \(stored.sequence) of conversation '\(conversation)' does not \
                            follow from the one before it: the store was changed. Restore a \
                            backup; 'durable-mcp audit verify' says what is affected.
                            """)
                }
                end = End(sequence: stored.sequence, digest: digest)
                try body(try EngineEvent(event), event.time)
            }
            if page.count < Self.pageSize { return end }
        }
    }

    /// The state of a conversation as the store has it, without owning it.
    package func state(of conversation: ConversationID) async throws -> ConversationState {
        var state = ConversationState(id: conversation)
        _ = try await read(conversation) { event, time in state.fold(event, at: time) }
        return state
    }
}

extension EngineEvent {
    /// Reads a stored event.
    package init(_ event: NewEvent) throws(EngineError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(parsing: event.payload, limits: .stored)
        } catch {
            throw .unreadableEvent(event.type, event.version, "its payload is no JSON")
        }
        guard let object = value.objectValue else {
            throw .unreadableEvent(event.type, event.version, "its payload is no object")
        }
        try self.init(type: event.type, version: event.version, payload: object)
    }
}

extension JSONLimits {
    /// For what we wrote ourselves, inside the limits of what came in, plus an envelope.
    static var stored: JSONLimits {
        var limits = JSONLimits.default
        limits.depth += 16
        limits.bytes = 16 << 20
        return limits
    }
}
