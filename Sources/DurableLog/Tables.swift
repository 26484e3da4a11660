/// One cell of a declared table.
public enum CellValue: Hashable, Sendable {
    /// Nothing.
    case null
    /// A 64-bit integer.
    case integer(Int64)
    /// UTF-8 text.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}

/// One row of a declared table, by column name.
public typealias Row = [String: CellValue]

/// A table that a store keeps for its users, who alone know what it means.
public struct TableSchema: Hashable, Sendable {
    /// What a column holds; any may be null but the primary key's.
    public enum ColumnKind: Hashable, Sendable {
        /// 64-bit integers.
        case integer
        /// UTF-8 text, compared by bytes.
        case text
        /// Bytes.
        case blob
    }

    /// One column.
    public struct Column: Hashable, Sendable {
        /// Its name: letters and digits, beginning with a lower-case letter.
        public var name: String
        /// What it holds.
        public var kind: ColumnKind

        /// A column of these parts.
        public init(_ name: String, _ kind: ColumnKind) {
            self.name = name
            self.kind = kind
        }
    }

    /// Its name: letters and digits, beginning with a lower-case letter.
    public var name: String
    /// 1 to 40 columns.
    public var columns: [Column]
    /// The names of the columns that identify a row, in order.
    public var primaryKey: [String]
    /// Further indexes, each a list of column names.
    public var indexes: [[String]]
    /// Whether it can be rebuilt from the events, and so is emptied by a rebuild.
    public var isProjection: Bool

    /// A table of these parts.
    public init(
        _ name: String, columns: [Column], primaryKey: [String], indexes: [[String]] = [],
        isProjection: Bool
    ) {
        self.name = name
        self.columns = columns
        self.primaryKey = primaryKey
        self.indexes = indexes
        self.isProjection = isProjection
    }
}

/// A change to one row of a declared table.
public enum TableWrite: Hashable, Sendable {
    /// Inserts the row, or replaces the one with its key; columns left out are null.
    case put(table: String, row: Row)
    /// Inserts the row; a `.duplicateKey` error, and no commit, where its key exists.
    case insert(table: String, row: Row)
    /// Sets some columns of the row with this key; nothing where there is none.
    case update(table: String, key: Row, set: Row)
    /// Removes the row with this key; nothing where there is none.
    case delete(table: String, key: Row)
}

/// A bounded, ordered read of one declared table.
///
/// All conditions must hold.
public struct TableQuery: Hashable, Sendable {
    /// How a cell is compared.
    public enum Comparison: Hashable, Sendable {
        /// The cell is this.
        case equals(CellValue)
        /// The cell is one of these; 1 to 100.
        case isAny(of: [CellValue])
        /// The cell is less than this.
        case less(CellValue)
        /// The cell is greater than this.
        case greater(CellValue)
        /// The cell is not null.
        case isNotNull
    }

    /// The table to read.
    public var table: String
    /// A condition a column.
    public var filters: [String: Comparison]
    /// The columns to order by, all in one direction; an index should cover them.
    public var orderBy: [String]
    /// Whether the order is reversed.
    public var descending: Bool
    /// Rows after this place in the order: values for `orderBy`, compared as a tuple.
    public var after: [CellValue]?
    /// At most this many rows, 1 to 10,000.
    public var limit: Int

    /// A query of these parts.
    public init(
        _ table: String, where filters: [String: Comparison] = [:], orderBy: [String] = [],
        descending: Bool = false, after: [CellValue]? = nil, limit: Int = 1000
    ) {
        self.table = table
        self.filters = filters
        self.orderBy = orderBy
        self.descending = descending
        self.after = after
        self.limit = limit
    }
}
