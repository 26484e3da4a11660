internal import DurableLog
internal import OrderedJSON

/// Has the process that holds a conversation carry out a command, through its inbox.
struct Delegation {
    private static let pollInterval: Duration = .milliseconds(50)

    private let engine: Engine
    private var services: EngineServices { engine.services }

    init(_ engine: Engine) { self.engine = engine }

    /// Leaves the command, wakes the owner, and waits for its answer.
    ///
    /// Where the owner dies, the conversation is taken over here, and its inbox with it.
    func perform(
        _ command: EngineCommand, in conversation: ConversationID
    ) async throws(EngineError) -> RunID {
        do {
            let item = InboxItem(
                conversation: conversation, sender: services.store.processID,
                time: services.clock.now(), payload: JSONValue.object(command.json).serialized())
            let (id, lease) = try await services.store.enqueue(item)
            var holder = lease?.holder
            let deadline = services.clock.now() + services.configuration.commandTimeout.milliseconds
            while services.clock.now() < deadline {
                if let holder, await services.store.isAlive(holder) {
                    await services.store.wake(holder)
                } else {
                    await engine.adopt(conversation, from: holder)
                }
                if let reply = try await reply(to: id) { return try reply.result.get() }
                try await services.clock.sleep(for: Self.pollInterval)
                holder = try await services.store.lease(of: conversation)?.holder
            }
        } catch {
            throw .wrapping(error)
        }
        throw EngineError(
            code: .storage,
            message: """
                The process that holds conversation '\(conversation)' has not answered yet. The \
                command stays in its inbox; look at the run before you send it again.
                """)
    }

    private func reply(to item: Int64) async throws -> CommandReply? {
        let rows = try await services.store.rows(
            TableQuery(
                EngineTables.replies.name, where: ["item": .equals(.integer(item))], limit: 1))
        guard let text = rows.first?.text("reply") else { return nil }
        let object = try JSONValue(parsing: text, limits: .stored).objectValue
        let reply = try CommandReply(object ?? JSONObject())
        try await services.store.commit(
            Commit(writes: [
                .delete(table: EngineTables.replies.name, key: ["item": .integer(item)])
            ]))
        return reply
    }
}
