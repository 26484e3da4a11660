internal import DurableLog

/// Reads one store on one thread, through a connection that is opened when first needed.
struct Reader: ~Copyable {
    private let path: String
    private var connection: Connection?
    private var types: [Int64: (name: String, version: Int)] = [:]

    init(path: String) { self.path = path }

    private mutating func opened() throws(StoreError) -> Connection {
        if let connection { return connection }
        let opened = try Connection(path: path, mode: .readOnly)
        try opened.configure()
        connection = opened
        return opened
    }

    private mutating func statement(_ sql: String) throws(StoreError) -> Statement {
        try opened().statement(sql)
    }

    // MARK: Events

    mutating func events(
        of conversation: ConversationID, after sequence: Int64, limit: Int
    ) throws(StoreError) -> [StoredEvent] {
        let statement = try statement(
            """
            SELECT position, sequence, epoch, type, time, payload, digest FROM log_events
            WHERE conversation = (SELECT id FROM log_conversations WHERE name = ?1)
            AND sequence > ?2 ORDER BY sequence LIMIT ?3
            """)
        try statement.bind(1, conversation.rawValue)
        try statement.bind(2, sequence)
        try statement.bind(3, Int64(limit))
        defer { statement.reset() }
        var events: [StoredEvent] = []
        while try statement.step() {
            events.append(try event(statement, of: conversation))
        }
        return events
    }

    mutating func events(after position: Int64, limit: Int) throws(StoreError) -> [StoredEvent] {
        let statement = try statement(
            """
            SELECT position, sequence, e.epoch, type, time, payload, digest, name
            FROM log_events AS e CROSS JOIN log_conversations AS c ON c.id = e.conversation
            WHERE position > ?1 ORDER BY position LIMIT ?2
            """)
        try statement.bind(1, position)
        try statement.bind(2, Int64(limit))
        defer { statement.reset() }
        var events: [StoredEvent] = []
        while try statement.step() {
            events.append(
                try event(statement, of: ConversationID(rawValue: statement.text(7))))
        }
        return events
    }

    private mutating func event(
        _ row: Statement, of conversation: ConversationID
    ) throws(StoreError) -> StoredEvent {
        let type = try type(row.integer(3))
        return StoredEvent(
            position: row.integer(0), conversation: conversation, sequence: row.integer(1),
            epoch: row.integer(2),
            event: NewEvent(
                type: type.name, version: type.version, time: row.integer(4),
                payload: row.bytes(5), digest: row.bytes(6)))
    }

    private mutating func type(_ id: Int64) throws(StoreError) -> (name: String, version: Int) {
        if let known = types[id] { return known }
        let statement = try statement("SELECT name, version FROM log_types WHERE id = ?1")
        try statement.bind(1, id)
        guard let type = try statement.first({ ($0.text(0), Int($0.integer(1))) }) else {
            throw StoreError(
                code: .corrupt,
                message: """
                    The store '\(path)' has events of type \(id), which it does not name. \
                    Restore it from a backup.
                    """)
        }
        types[id] = type
        return type
    }

    // MARK: Tables

    mutating func rows(
        _ query: TableQuery, of table: TableSchema
    ) throws(StoreError) -> [Row] {
        let (sql, values) = TableSQL.select(query, from: table)
        let statement = try statement(sql)
        var index: Int32 = 1
        for value in values {
            try statement.bind(index, value)
            index += 1
        }
        return try statement.all { row throws(StoreError) in
            var cells = Row(minimumCapacity: table.columns.count)
            var column: Int32 = 0
            for schema in table.columns {
                cells[schema.name] = row.cell(column)
                column += 1
            }
            return cells
        }
    }

    // MARK: Leases, inbox, processes, metadata

    mutating func lease(of conversation: ConversationID) throws(StoreError) -> Lease? {
        let statement = try statement(
            "SELECT epoch, holder FROM log_conversations WHERE name = ?1 AND epoch > 0")
        try statement.bind(1, conversation.rawValue)
        return try statement.first { row in
            Lease(
                conversation: conversation,
                holder: row.isNull(1) ? nil : ProcessID(rawValue: row.text(1)),
                epoch: row.integer(0))
        }
    }

    mutating func leases(heldBy process: ProcessID, limit: Int) throws(StoreError) -> [Lease] {
        let statement = try statement(
            "SELECT name, epoch FROM log_conversations WHERE holder = ?1 ORDER BY id LIMIT ?2")
        try statement.bind(1, process.rawValue)
        try statement.bind(2, Int64(limit))
        return try statement.all { row throws(StoreError) in
            Lease(
                conversation: ConversationID(rawValue: row.text(0)), holder: process,
                epoch: row.integer(1))
        }
    }

    mutating func inbox(of conversation: ConversationID) throws(StoreError) -> [InboxItem] {
        let statement = try statement(
            """
            SELECT id, sender, time, payload FROM log_inbox
            WHERE conversation = (SELECT id FROM log_conversations WHERE name = ?1)
            ORDER BY id LIMIT ?2
            """)
        try statement.bind(1, conversation.rawValue)
        try statement.bind(2, Int64(StoreLimits.inboxReadLimit))
        return try statement.all { row throws(StoreError) in
            InboxItem(
                id: row.integer(0), conversation: conversation,
                sender: ProcessID(rawValue: row.text(1)), time: row.integer(2),
                payload: row.bytes(3))
        }
    }

    mutating func unownedInboxes(limit: Int) throws(StoreError) -> [ConversationID] {
        let statement = try statement(
            """
            SELECT name FROM log_conversations WHERE holder IS NULL
            AND id IN (SELECT conversation FROM log_inbox) LIMIT ?1
            """)
        try statement.bind(1, Int64(limit))
        return try statement.all { row throws(StoreError) in
            ConversationID(rawValue: row.text(0))
        }
    }

    mutating func processes() throws(StoreError) -> [ProcessID] {
        try statement("SELECT name FROM log_processes").all { row throws(StoreError) in
            ProcessID(rawValue: row.text(0))
        }
    }

    mutating func metadata(_ name: String) throws(StoreError) -> [UInt8]? {
        let statement = try statement("SELECT value FROM log_metadata WHERE name = ?1")
        try statement.bind(1, name)
        return try statement.first { $0.bytes(0) }
    }
}
