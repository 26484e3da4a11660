/// The limits every store keeps.
public enum StoreLimits {
    /// The most bytes of one event's or one inbox item's payload: 16 MiB.
    public static let payloadBytes = 16 << 20
    /// The most bytes of a conversation's id.
    public static let conversationIDBytes = 200
    /// The bytes of a digest.
    public static let digestBytes = 32
    /// The most rows, events or items that one read gives.
    public static let readLimit = 10_000
    /// The most items that a read of an inbox gives.
    public static let inboxReadLimit = 1_000
}

extension Commit {
    /// Checks what does not depend on what is stored.
    ///
    /// A commit that breaks the documented shape is a programmer's error and traps.
    package func checkShape(process: ProcessID) throws(StoreError) {
        precondition(
            !appends.isEmpty || !writes.isEmpty || !consumedInbox.isEmpty, "An empty commit.")
        for (index, append) in appends.enumerated() {
            precondition(
                (1...StoreLimits.conversationIDBytes).contains(
                    append.conversation.rawValue.utf8.count),
                "A conversation id has 1 to 200 UTF-8 bytes.")
            precondition(
                !appends[..<index].contains { $0.conversation == append.conversation },
                "A commit names a conversation at most once.")
            switch append.lease {
            case .keep, .release:
                break
            case .open(let holder), .openAndRelease(let holder):
                precondition(holder == process, "A process opens conversations for itself only.")
                precondition(
                    append.expectedSequence == 0 && append.epoch == 1,
                    "A conversation is opened at sequence 0 under epoch 1.")
            }
            for event in append.events {
                precondition(
                    event.digest.count == StoreLimits.digestBytes, "A digest has 32 bytes.")
                if event.payload.count > StoreLimits.payloadBytes {
                    throw .tooLarge(
                        "The payload of a '\(event.type)' event", bytes: event.payload.count,
                        limit: StoreLimits.payloadBytes)
                }
            }
        }
        for write in writes { try write.checkSize() }
    }
}

extension TableWrite {
    /// Checks each cell against the limit of a payload.
    fileprivate func checkSize() throws(StoreError) {
        let cells: Row
        switch self {
        case .put(_, let row), .insert(_, let row): cells = row
        case .update(_, _, let set): cells = set
        case .delete: return
        }
        for (column, cell) in cells {
            let bytes =
                switch cell {
                case .text(let text): text.utf8.count
                case .blob(let blob): blob.count
                case .null, .integer: 0
                }
            if bytes > StoreLimits.payloadBytes {
                throw .tooLarge(
                    "Column '\(column)' of table '\(table)'", bytes: bytes,
                    limit: StoreLimits.payloadBytes)
            }
        }
    }
}

extension InboxItem {
    /// Checks what does not depend on what is stored.
    package func checkShape() throws(StoreError) {
        precondition(
            (1...StoreLimits.conversationIDBytes).contains(conversation.rawValue.utf8.count),
            "A conversation id has 1 to 200 UTF-8 bytes.")
        if payload.count > StoreLimits.payloadBytes {
            throw .tooLarge(
                "The payload of an inbox item", bytes: payload.count,
                limit: StoreLimits.payloadBytes)
        }
    }
}
