import DurableLog

extension EventStore {
    /// Appends one event under epoch 1.
    @discardableResult
    func append(
        _ event: NewEvent, to conversation: ConversationID, after sequence: Int64,
        lease: Append.LeaseChange = .keep
    ) async throws(StoreError) -> CommitReceipt {
        try await commit(
            Commit(appends: [
                Append(
                    conversation: conversation, expectedSequence: sequence, epoch: 1,
                    events: [event], lease: lease)
            ]))
    }
}
