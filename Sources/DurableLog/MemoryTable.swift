/// One declared table, kept in memory.
struct MemoryTable {
    let schema: TableSchema
    private var rowsByKey: [[UInt8]: Row] = [:]

    init(_ schema: TableSchema) { self.schema = schema }

    /// Every row with every column, in no order.
    var rows: some Collection<Row> { rowsByKey.values }

    subscript(key: [UInt8]) -> Row? {
        get { rowsByKey[key] }
        set { rowsByKey[key] = newValue }
    }

    func rows(_ query: TableQuery) -> [Row] {
        var found = candidates(query).filter { row in
            query.filters.allSatisfy { column, comparison in
                comparison.holds(for: row[column, default: .null])
            }
        }
        let order = query.orderBy + schema.primaryKey.filter { !query.orderBy.contains($0) }
        if let after = query.after {
            found = found.filter { row in
                let place = query.orderBy.map { row[$0, default: .null] }
                return query.descending
                    ? place.lexicographicallyPrecedes(after, by: CellValue.precedes)
                    : after.lexicographicallyPrecedes(place, by: CellValue.precedes)
            }
        }
        found.sort { left, right in
            let leftPlace = order.lazy.map { left[$0, default: .null] }
            let rightPlace = order.lazy.map { right[$0, default: .null] }
            return query.descending
                ? rightPlace.lexicographicallyPrecedes(leftPlace, by: CellValue.precedes)
                : leftPlace.lexicographicallyPrecedes(rightPlace, by: CellValue.precedes)
        }
        return Array(found.prefix(query.limit))
    }

    /// One row where the filters fix the whole key, else all of them.
    private func candidates(_ query: TableQuery) -> [Row] {
        var key: Row = [:]
        for name in schema.primaryKey {
            guard case .equals(let value) = query.filters[name] else { return Array(rows) }
            key[name] = value
        }
        return rowsByKey[schema.encodedKey(key)].map { [$0] } ?? []
    }
}

extension TableQuery.Comparison {
    fileprivate func holds(for cell: CellValue) -> Bool {
        switch self {
        case .equals(let value): CellValue.same(cell, value)
        case .isAny(of: let values): values.contains { CellValue.same(cell, $0) }
        case .less(let value): cell != .null && CellValue.precedes(cell, value)
        case .greater(let value): CellValue.precedes(value, cell)
        case .isNotNull: cell != .null
        }
    }
}

extension TableSchema {
    /// The cells of the key, in bytes that differ wherever the keys do.
    func encodedKey(_ row: Row) -> [UInt8] {
        var bytes: [UInt8] = []
        for name in primaryKey {
            switch row[name, default: .null] {
            case .null: bytes.append(0)
            case .integer(let value): Self.append(value, to: &bytes)
            case .text(let text):
                Self.append(Int64(text.utf8.count), to: &bytes)
                bytes.append(contentsOf: text.utf8)
            case .blob(let blob):
                Self.append(Int64(blob.count), to: &bytes)
                bytes.append(contentsOf: blob)
            }
        }
        return bytes
    }

    private static func append(_ value: Int64, to bytes: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> Int64(shift)))
        }
    }

    /// The row with every declared column, absent ones null.
    func completed(_ row: Row) -> Row {
        var whole = row
        for column in columns where whole[column.name] == nil { whole[column.name] = .null }
        return whole
    }
}

extension TableCatalogue {
    /// The encoded key of the row that a write is about.
    func key(of write: TableWrite) -> [UInt8] {
        switch write {
        case .put(let table, let row), .insert(let table, let row): self[table].encodedKey(row)
        case .update(let table, let key, _), .delete(let table, let key):
            self[table].encodedKey(key)
        }
    }
}
