internal import DurableLog

/// The statements that the writer runs for every commit, prepared once a connection.
final class WriterStatements {
    let begin: Statement
    let commit: Statement
    let rollback: Statement
    let savepoint: Statement
    let rollbackToSavepoint: Statement
    let releaseSavepoint: Statement

    let conversation: Statement
    let insertConversation: Statement
    let setLease: Statement
    let lastSequence: Statement
    let insertEvent: Statement
    let event: Statement
    let type: Statement
    let insertType: Statement

    let inboxItem: Statement
    let deleteInboxItem: Statement
    let hasInbox: Statement
    let insertInboxItem: Statement
    let countBatch: Statement

    init(_ connection: Connection) throws(StoreError) {
        func prepare(_ sql: String) throws(StoreError) -> Statement {
            try Statement(sql, on: connection, persistent: true)
        }
        begin = try prepare("BEGIN IMMEDIATE")
        commit = try prepare("COMMIT")
        rollback = try prepare("ROLLBACK")
        savepoint = try prepare("SAVEPOINT one")
        rollbackToSavepoint = try prepare("ROLLBACK TO one")
        releaseSavepoint = try prepare("RELEASE one")
        conversation = try prepare(
            "SELECT id, epoch, holder FROM log_conversations WHERE name = ?1")
        insertConversation = try prepare(
            "INSERT INTO log_conversations (name, epoch, holder) VALUES (?1, ?2, ?3)")
        setLease = try prepare("UPDATE log_conversations SET epoch = ?2, holder = ?3 WHERE id = ?1")
        lastSequence = try prepare(
            """
            SELECT sequence FROM log_events WHERE conversation = ?1
            ORDER BY sequence DESC LIMIT 1
            """)
        insertEvent = try prepare(
            """
            INSERT INTO log_events (conversation, sequence, epoch, type, time, payload, digest)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        event = try prepare("SELECT digest FROM log_events WHERE position = ?1")
        type = try prepare("SELECT id FROM log_types WHERE name = ?1 AND version = ?2")
        insertType = try prepare("INSERT INTO log_types (name, version) VALUES (?1, ?2)")
        inboxItem = try prepare("SELECT 1 FROM log_inbox WHERE id = ?1")
        deleteInboxItem = try prepare("DELETE FROM log_inbox WHERE id = ?1")
        hasInbox = try prepare("SELECT 1 FROM log_inbox WHERE conversation = ?1 LIMIT 1")
        insertInboxItem = try prepare(
            """
            INSERT INTO log_inbox (conversation, sender, time, payload)
            VALUES (?1, ?2, ?3, ?4)
            """)
        countBatch = try prepare("UPDATE log_processes SET batches = ?2 WHERE name = ?1")
    }
}
