internal import DurableLog

/// What a session does less often: each of these prepares its statement anew or keeps it by text.
extension Session {
    /// Registers this process, which must not be registered.
    func register() throws(StoreError) {
        let statement = try connection.statement(
            "INSERT INTO log_processes (name) VALUES (?1)")
        try statement.bind(1, process.rawValue)
        try statement.run()
    }

    /// Every registered process.
    func processNames() throws(StoreError) -> [String] {
        try connection.statement("SELECT name FROM log_processes").all { row throws(StoreError) in
            row.text(0)
        }
    }

    /// Forgets a process that holds no lease; gives whether it did.
    func forget(_ process: ProcessID) throws(StoreError) -> Bool {
        let statement = try connection.statement(
            """
            DELETE FROM log_processes WHERE name = ?1
            AND NOT EXISTS (SELECT 1 FROM log_conversations WHERE holder = ?1)
            """)
        try statement.bind(1, process.rawValue)
        try statement.run()
        return connection.changes > 0
    }

    func setMetadataIfAbsent(
        _ name: String, _ value: [UInt8]
    ) throws(StoreError) -> [UInt8] {
        let insert = try connection.statement(
            "INSERT INTO log_metadata (name, value) VALUES (?1, ?2) ON CONFLICT DO NOTHING")
        try insert.bind(1, name)
        try insert.bind(2, value)
        try insert.run()
        let select = try connection.statement("SELECT value FROM log_metadata WHERE name = ?1")
        try select.bind(1, name)
        return try select.first { $0.bytes(0) } ?? value
    }

    // MARK: Witnesses

    /// Leaves a number that tells, after a failed commit, whether it happened.
    func countBatch(_ number: Int64) throws(StoreError) {
        try statements.countBatch.bind(1, process.rawValue)
        try statements.countBatch.bind(2, number)
        try statements.countBatch.run()
    }

    func has(_ witness: Witness) throws(StoreError) -> Bool {
        switch witness {
        case .event(let position, let digest):
            try statements.event.bind(1, position)
            return try statements.event.first { $0.bytes(0) } == digest
        case .count(let number):
            let statement = try connection.statement(
                "SELECT batches FROM log_processes WHERE name = ?1")
            try statement.bind(1, process.rawValue)
            return try statement.first { $0.integer(0) } == number
        }
    }

    func countRecovery() throws(StoreError) {
        let statement = try connection.statement(
            "UPDATE log_processes SET recoveries = recoveries + 1 WHERE name = ?1")
        try statement.bind(1, process.rawValue)
        try statement.run()
    }
}
