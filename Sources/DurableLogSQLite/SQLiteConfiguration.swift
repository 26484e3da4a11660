/// What may be set when a SQLite store is opened.
public struct SQLiteConfiguration: Sendable {
    /// How many threads read, each with a connection of its own; 1 to 16.
    public var readers: Int = 2
    /// The length that the write-ahead log is given at once and kept at, in bytes.
    public var walBytes: Int64 = 16 << 20
    /// From how many pages in the write-ahead log on a checkpoint is made.
    public var checkpointFrames: Int = 3_000
    /// How long a commit waits while another process holds the store's lock.
    public var lockPatience: Duration = .seconds(10)
    /// The most pages of 4,096 bytes that the database may have; nil: as the disk allows.
    public var maximumPages: Int?

    /// Failures that a test injects.
    package var faults = CommitFaults()

    /// The settings that were measured to serve best.
    public init() {}
}
