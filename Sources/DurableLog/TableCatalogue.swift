/// The tables a store was opened with; checks that writes and queries fit them.
///
/// Whatever does not fit is a programmer's error and traps: tables and queries come from code,
/// never from outside.
package struct TableCatalogue: Sendable {
    /// In the order they were declared.
    package let tables: [TableSchema]
    private let byName: [String: TableSchema]

    /// Checks and keeps the schemas.
    package init(_ tables: [TableSchema]) {
        self.tables = tables
        var byName: [String: TableSchema] = [:]
        for table in tables {
            table.check()
            precondition(
                byName.updateValue(table, forKey: table.name) == nil,
                "Table '\(table.name)' is declared twice.")
        }
        self.byName = byName
    }

    /// The schema of a declared table.
    package subscript(_ name: String) -> TableSchema {
        guard let schema = byName[name] else {
            preconditionFailure("Table '\(name)' is not declared.")
        }
        return schema
    }

    /// Checks one write against its table.
    package func check(_ write: TableWrite) {
        switch write {
        case .put(let table, let row), .insert(let table, let row):
            let schema = self[table]
            schema.check(cells: row)
            schema.checkKey(row)
        case .update(let table, let key, let set):
            let schema = self[table]
            precondition(key.count == schema.primaryKey.count, "A key has its columns alone.")
            schema.check(cells: key)
            schema.checkKey(key)
            precondition(!set.isEmpty, "An update of '\(table)' sets something.")
            schema.check(cells: set)
            precondition(
                schema.primaryKey.allSatisfy { set[$0] == nil }, "A key is never updated.")
        case .delete(let table, let key):
            let schema = self[table]
            precondition(key.count == schema.primaryKey.count, "A key has its columns alone.")
            schema.check(cells: key)
            schema.checkKey(key)
        }
    }

    /// Checks one query against its table.
    package func check(_ query: TableQuery) {
        let schema = self[query.table]
        precondition((1...StoreLimits.readLimit).contains(query.limit), "A limit out of range.")
        for (column, comparison) in query.filters {
            switch comparison {
            case .equals(let value):
                schema.check(cells: [column: value])
            case .isAny(of: let values):
                precondition((1...100).contains(values.count), "1 to 100 values.")
                for value in values {
                    precondition(value != .null, "Null is compared by `equals` only.")
                    schema.check(cells: [column: value])
                }
            case .less(let value), .greater(let value):
                precondition(value != .null, "Null is compared by `equals` only.")
                schema.check(cells: [column: value])
            case .isNotNull:
                schema.check(cells: [column: .null])
            }
        }
        for column in query.orderBy { schema.check(cells: [column: .null]) }
        if let after = query.after {
            precondition(
                !after.isEmpty && after.count == query.orderBy.count,
                "`after` has a value for each column of `orderBy`.")
            for (column, value) in zip(query.orderBy, after) {
                schema.check(cells: [column: value])
            }
        }
    }
}

extension TableSchema {
    /// The column with this name.
    package func column(_ name: String) -> Column? { columns.first { $0.name == name } }

    fileprivate func check() {
        precondition(Self.isName(name), "'\(name)' is no table name.")
        precondition((1...40).contains(columns.count), "'\(name)' has 1 to 40 columns.")
        var seen: Set<String> = []
        for column in columns {
            precondition(Self.isName(column.name), "'\(column.name)' is no column name.")
            precondition(
                seen.insert(column.name.lowercased()).inserted,
                "Columns of '\(name)' differ in more than case.")
        }
        precondition(!primaryKey.isEmpty, "'\(name)' has a primary key.")
        for list in [primaryKey] + indexes {
            precondition(
                !list.isEmpty && list.allSatisfy { column($0) != nil },
                "The keys and indexes of '\(name)' name its columns.")
        }
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first else {
            return false
        }
        return text.utf8.count <= 60
            && text.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                    || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            }
    }

    fileprivate func check(cells: Row) {
        for (name, value) in cells {
            guard let column = column(name) else {
                preconditionFailure("Table '\(self.name)' has no column '\(name)'.")
            }
            switch (column.kind, value) {
            case (_, .null), (.integer, .integer), (.text, .text), (.blob, .blob): break
            default: preconditionFailure("A value of another kind for '\(self.name).\(name)'.")
            }
        }
    }

    fileprivate func checkKey(_ row: Row) {
        for name in primaryKey {
            precondition(
                row[name, default: .null] != .null, "'\(self.name).\(name)' is in the key.")
        }
    }
}

extension CellValue {
    /// Whether this comes before `other`: null first, then numbers by value, then bytes.
    package static func precedes(_ left: CellValue, _ right: CellValue) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
        case (.blob(let left), .blob(let right)): left.lexicographicallyPrecedes(right)
        default: left.rank < right.rank
        }
    }

    /// Whether both are the same, byte for byte.
    package static func same(_ left: CellValue, _ right: CellValue) -> Bool {
        !precedes(left, right) && !precedes(right, left)
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer: 1
        case .text: 2
        case .blob: 3
        }
    }
}

extension TableWrite {
    /// The name of the table it changes.
    package var table: String {
        switch self {
        case .put(let table, _), .insert(let table, _), .update(let table, _, _),
            .delete(let table, _):
            table
        }
    }
}
