internal import DurableLog

/// The SQL for declared tables.
///
/// Names are letters and digits (`TableCatalogue` checks them) and quoted, since some are
/// keywords; values are always bound.
enum TableSQL {
    static func create(_ table: TableSchema) -> String {
        let columns = table.columns.map { "\"\($0.name)\" \(type($0.kind))" }
        return """
            CREATE TABLE "\(table.name)" (\(columns.joined(separator: ", ")), \
            PRIMARY KEY (\(list(table.primaryKey)))) WITHOUT ROWID
            """
    }

    static func add(_ column: TableSchema.Column, to table: TableSchema) -> String {
        "ALTER TABLE \"\(table.name)\" ADD COLUMN \"\(column.name)\" \(type(column.kind))"
    }

    static func index(_ columns: [String], of table: TableSchema) -> String {
        let name = "\(table.name)_by_\(columns.joined(separator: "_"))"
        return """
            CREATE INDEX IF NOT EXISTS "\(name)" ON "\(table.name)" (\(list(columns)))
            """
    }

    /// Parameters are the columns in their declared order.
    static func insert(_ table: TableSchema, replacing: Bool) -> String {
        let names = list(table.columns.map(\.name))
        let marks = repeatElement("?", count: table.columns.count).joined(separator: ", ")
        let verb = replacing ? "INSERT OR REPLACE" : "INSERT"
        let end = replacing ? "" : " ON CONFLICT DO NOTHING"
        return "\(verb) INTO \"\(table.name)\" (\(names)) VALUES (\(marks))\(end)"
    }

    /// Parameters are the columns set, then the key's.
    static func update(_ table: TableSchema, setting columns: [String]) -> String {
        let assignments = columns.map { "\"\($0)\" = ?" }.joined(separator: ", ")
        return "UPDATE \"\(table.name)\" SET \(assignments) WHERE \(keyCondition(table))"
    }

    /// Parameters are the key's columns.
    static func delete(_ table: TableSchema) -> String {
        "DELETE FROM \"\(table.name)\" WHERE \(keyCondition(table))"
    }

    // MARK: Queries

    /// A query's SQL and the values of its parameters.
    static func select(
        _ query: TableQuery, from table: TableSchema
    ) -> (sql: String, values: [CellValue]) {
        var conditions: [String] = []
        var values: [CellValue] = []
        for (column, comparison) in query.filters.sorted(by: { $0.key < $1.key }) {
            conditions.append(condition(column, comparison, &values))
        }
        if let after = query.after {
            conditions.append(place(query, after, &values, in: table))
        }
        let tail = table.primaryKey.filter { !query.orderBy.contains($0) }
        let direction = query.descending ? " DESC" : ""
        let order = (query.orderBy + tail).map { "\"\($0)\"\(direction)" }
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        values.append(.integer(Int64(query.limit)))
        return (
            """
            SELECT \(list(table.columns.map(\.name))) FROM "\(table.name)"\(filter) \
            ORDER BY \(order.joined(separator: ", ")) LIMIT ?
            """, values
        )
    }

    private static func condition(
        _ column: String, _ comparison: TableQuery.Comparison, _ values: inout [CellValue]
    ) -> String {
        switch comparison {
        case .equals(.null): return "\"\(column)\" IS NULL"
        case .equals(let value):
            values.append(value)
            return "\"\(column)\" = ?"
        case .isAny(of: let list):
            values.append(contentsOf: list)
            let marks = repeatElement("?", count: list.count).joined(separator: ", ")
            return "\"\(column)\" IN (\(marks))"
        case .less(let value):
            values.append(value)
            return "\"\(column)\" < ?"
        case .greater(let value):
            values.append(value)
            return "\"\(column)\" > ?"
        case .isNotNull: return "\"\(column)\" IS NOT NULL"
        }
    }

    /// The condition that a row comes after a place, where null comes before any value.
    ///
    /// A row-value comparison is what an index serves, but it is never true across a null. It
    /// is right where nulls cannot matter: going up from values that are not null, and going
    /// down over columns of the key. Else each column is compared by itself.
    private static func place(
        _ query: TableQuery, _ after: [CellValue], _ values: inout [CellValue],
        in table: TableSchema
    ) -> String {
        let isPlain =
            !after.contains(.null)
            && (!query.descending || query.orderBy.allSatisfy(table.primaryKey.contains))
        if isPlain {
            values.append(contentsOf: after)
            let marks = repeatElement("?", count: after.count).joined(separator: ", ")
            return "(\(list(query.orderBy))) \(query.descending ? "<" : ">") (\(marks))"
        }
        var alternatives: [String] = []
        for (index, column) in query.orderBy.enumerated() {
            guard let beyond = beyond(column, after[index], query.descending) else { continue }
            var parts: [String] = []
            for earlier in 0..<index {
                parts.append("\"\(query.orderBy[earlier])\" IS ?")
                values.append(after[earlier])
            }
            parts.append(beyond)
            if after[index] != .null { values.append(after[index]) }
            alternatives.append("(" + parts.joined(separator: " AND ") + ")")
        }
        return alternatives.isEmpty ? "0" : "(" + alternatives.joined(separator: " OR ") + ")"
    }

    /// The condition on one column alone; nil where nothing is beyond.
    private static func beyond(_ column: String, _ value: CellValue, _ down: Bool) -> String? {
        switch (value, down) {
        case (.null, true): nil
        case (.null, false): "\"\(column)\" IS NOT NULL"
        case (_, true): "(\"\(column)\" < ? OR \"\(column)\" IS NULL)"
        case (_, false): "\"\(column)\" > ?"
        }
    }

    // MARK: Pieces

    private static func keyCondition(_ table: TableSchema) -> String {
        table.primaryKey.map { "\"\($0)\" = ?" }.joined(separator: " AND ")
    }

    private static func list(_ columns: [String]) -> String {
        columns.map { "\"\($0)\"" }.joined(separator: ", ")
    }

    private static func type(_ kind: TableSchema.ColumnKind) -> String {
        switch kind {
        case .integer: "INTEGER"
        case .text: "TEXT"
        case .blob: "BLOB"
        }
    }
}
