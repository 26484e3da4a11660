internal import DurableEngine
public import DurableLog

/// The tables that the server keeps beside the engine's.
public enum DurableMCPTables {
    /// All of them; with those of the engine, what a store is opened with.
    public static let all: [TableSchema] = [upstreams, catalogue, TokenStore.table]

    /// What to open a store with: the engine's tables and these.
    public static var store: [TableSchema] { EngineTables.all + all }

    /// One row a server whose tools were listed once; `revision` differs after each change.
    static let upstreams = TableSchema(
        "upstreams",
        columns: [
            .init("upstream", .text), .init("revision", .text), .init("listedAt", .integer),
        ],
        primaryKey: ["upstream"], isProjection: false)

    /// One row a tool, with its pinned definition, and the one it has changed to.
    static let catalogue = TableSchema(
        "catalogue",
        columns: [
            .init("upstream", .text), .init("tool", .text), .init("name", .text),
            .init("position", .integer), .init("digest", .text), .init("definition", .text),
            .init("pinnedAt", .integer), .init("changedDigest", .text),
            .init("changedDefinition", .text), .init("changedAt", .integer),
            .init("isGone", .integer),
        ],
        primaryKey: ["upstream", "tool"], indexes: [["name"]], isProjection: false)
}
