internal import DurableLog

/// The statements that change one declared table, prepared when first used.
final class TableStatements {
    let schema: TableSchema
    private let connection: Connection
    private var put: Statement?
    private var insert: Statement?
    private var delete: Statement?
    /// By the set of columns set, a bit each; a table has at most 40.
    private var updates: [UInt64: Statement] = [:]

    private static let updateLimit = 32

    init(_ schema: TableSchema, on connection: Connection) {
        self.schema = schema
        self.connection = connection
    }

    func put(_ row: Row) throws(StoreError) {
        let statement = try prepared(&put, TableSQL.insert(schema, replacing: true))
        try bind(row, to: statement)
        try statement.run()
    }

    /// Gives false, and changes nothing, where the key exists.
    func insert(_ row: Row) throws(StoreError) -> Bool {
        let statement = try prepared(&insert, TableSQL.insert(schema, replacing: false))
        try bind(row, to: statement)
        try statement.run()
        return connection.changes == 1
    }

    func update(_ key: Row, set: Row) throws(StoreError) {
        var mask: UInt64 = 0
        for (index, column) in schema.columns.enumerated() where set[column.name] != nil {
            mask |= 1 << UInt64(index)
        }
        let columns = schema.columns.map(\.name).filter { set[$0] != nil }
        if updates[mask] == nil, updates.count >= Self.updateLimit { updates.removeAll() }
        let statement = try prepared(
            &updates[mask], TableSQL.update(schema, setting: columns))
        var index: Int32 = 1
        for column in columns {
            try statement.bind(index, set[column, default: .null])
            index += 1
        }
        try bind(key: key, to: statement, from: index)
        try statement.run()
    }

    func delete(_ key: Row) throws(StoreError) {
        let statement = try prepared(&delete, TableSQL.delete(schema))
        try bind(key: key, to: statement, from: 1)
        try statement.run()
    }

    private func prepared(
        _ place: inout Statement?, _ sql: @autoclosure () -> String
    ) throws(StoreError) -> Statement {
        if let place { return place }
        let made = try Statement(sql(), on: connection, persistent: true)
        place = made
        return made
    }

    private func bind(_ row: Row, to statement: Statement) throws(StoreError) {
        var index: Int32 = 1
        for column in schema.columns {
            try statement.bind(index, row[column.name, default: .null])
            index += 1
        }
    }

    private func bind(
        key: Row, to statement: Statement, from first: Int32
    ) throws(StoreError) {
        var index = first
        for column in schema.primaryKey {
            try statement.bind(index, key[column, default: .null])
            index += 1
        }
    }
}
