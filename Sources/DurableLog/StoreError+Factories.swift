extension StoreError {
    /// A lost race: another append came first, or a conversation to be opened exists.
    package static func conflict(
        on conversation: ConversationID, expected: Int64, actual: Int64
    ) -> Self {
        Self(
            code: .conflict,
            message: """
                Conversation '\(conversation)' is at sequence \(actual), not \(expected): another \
                append came first. Reload the conversation and decide again.
                """)
    }

    /// A conversation that was to be opened has a lease already.
    package static func exists(_ conversation: ConversationID) -> Self {
        Self(
            code: .conflict,
            message: """
                Conversation '\(conversation)' exists already, so it cannot be opened as new. \
                Load it and decide again.
                """)
    }

    /// An inbox item is gone: somebody else carried it out.
    package static func consumed(_ item: Int64) -> Self {
        Self(
            code: .conflict,
            message: """
                Inbox item \(item) is not there: it was carried out before. \
                Read the inbox again.
                """)
    }

    /// The caller is not, or not any more, the owner.
    package static func staleEpoch(
        on conversation: ConversationID, epoch: Int64, lease: Lease?
    ) -> Self {
        let state =
            switch (lease?.epoch, lease?.holder) {
            case (nil, _): "nobody ever held it"
            case (let current?, nil): "it is free, at epoch \(current)"
            case (let current?, let holder?): "'\(holder)' holds it under epoch \(current)"
            }
        return Self(
            code: .staleEpoch,
            message: """
                Conversation '\(conversation)' is not held under epoch \(epoch) by this process: \
                \(state). Stop working on it, or acquire its lease and reload it.
                """)
    }

    /// A row that was to be inserted has a key that exists.
    package static func duplicateKey(in table: String) -> Self {
        Self(
            code: .duplicateKey,
            message: """
                Table '\(table)' has a row with this key already. Nothing was committed; \
                read that row.
                """)
    }

    /// A value exceeds a limit.
    package static func tooLarge(_ what: String, bytes: Int, limit: Int) -> Self {
        Self(
            code: .tooLarge,
            message: """
                \(what) has \(bytes) bytes, more than the limit of \(limit). \
                Nothing was changed; make it smaller.
                """)
    }

    /// The store was closed, or its process is dead.
    package static func closed() -> Self {
        Self(code: .unavailable, message: "This store was closed. Open it again.")
    }
}
