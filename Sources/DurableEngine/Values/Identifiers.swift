internal import DurableLog

/// The name of one run: `run_` and 26 random base32 characters.
public struct RunID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The id as people see it.
    public let rawValue: String
    /// The id of these characters.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The id itself.
    public var description: String { rawValue }
}

/// The name of one approval: `apr_` and 26 random base32 characters.
public struct ApprovalID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The id as people see it.
    public let rawValue: String
    /// The id of these characters.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The id itself.
    public var description: String { rawValue }
}

/// Where random ids come from; injected, so that replay and tests are deterministic.
public protocol IdentifierSource: Sendable {
    /// 26 base32 characters in lower case, unpredictable outside tests.
    func next() -> String

    /// A factor from 0.5 up to 1.5, to spread retries.
    func jitter() -> Double
}

extension IdentifierSource {
    func run() -> RunID { RunID(rawValue: "run_" + next()) }
    func approval() -> ApprovalID { ApprovalID(rawValue: "apr_" + next()) }
    func conversation() -> ConversationID { ConversationID(rawValue: "cnv_" + next()) }
}

/// The time, injected.
public protocol EngineClock: Sendable {
    /// Milliseconds since 1970.
    func now() -> Int64

    /// Suspends for a time that goes on through a machine's sleep.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, at once.
    func sleep(for duration: Duration) async throws
}
