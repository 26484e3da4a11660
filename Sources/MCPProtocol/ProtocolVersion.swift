/// A revision of the Model Context Protocol, older before newer.
public enum ProtocolVersion: String, Hashable, Sendable, CaseIterable {
    /// The first revision; stdio only here, since its HTTP transport is another one.
    case v2024_11_05 = "2024-11-05"
    /// Streamable HTTP, and batches.
    case v2025_03_26 = "2025-03-26"
    /// Structured results; batches are gone.
    case v2025_06_18 = "2025-06-18"
    /// The last revision that opens with `initialize`.
    case v2025_11_25 = "2025-11-25"
    /// Stateless: version and capabilities travel in every request.
    case v2026_07_28 = "2026-07-28"

    /// How a connection of this revision works.
    public enum Era: Hashable, Sendable {
        /// Opens with `initialize`.
        case legacy
        /// Version and capabilities in every request's `_meta`.
        case modern
    }

    /// How a connection of this revision works.
    public var era: Era { self >= .v2026_07_28 ? .modern : .legacy }

    /// Whether version and capabilities travel in every request.
    public var isModern: Bool { era == .modern }

    /// What `server/discover` and a version error name, newest first.
    public static let modern: [ProtocolVersion] = allCases.filter(\.isModern).sorted(by: >)

    /// What `initialize` may negotiate, newest first.
    public static let legacy: [ProtocolVersion] = allCases.filter { !$0.isModern }.sorted(by: >)

    /// The newest revision that works without a handshake.
    public static let latestModern = ProtocolVersion.v2026_07_28

    /// The newest revision that opens with `initialize`.
    public static let latestLegacy = ProtocolVersion.v2025_11_25
}

extension ProtocolVersion: Comparable {
    /// Whether `left` came out before `right`.
    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
