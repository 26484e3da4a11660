internal import DurableLog

/// Something for the writer to do, and whom to tell.
struct WriteRequest: Sendable {
    /// What to do.
    enum Action: Sendable {
        case commit(Commit)
        case acquire(ConversationID, ProcessID, takingFrom: ProcessID?)
        case enqueue(InboxItem)
        case forget(ProcessID)
        case setMetadata(String, [UInt8])
        case close
    }

    /// What came of it.
    enum Outcome: Sendable {
        case failed(StoreError)
        case receipt(CommitReceipt)
        case grant(LeaseGrant)
        case enqueued(id: Int64, lease: Lease?)
        case value([UInt8])
        case done(Bool)
    }

    let action: Action
    let reply: CheckedContinuation<Outcome, Never>
}
