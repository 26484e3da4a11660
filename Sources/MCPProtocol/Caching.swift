public import OrderedJSON

/// How long a result may be kept, and by whom.
///
/// Source: 2026-07-28 caching.
public struct Caching: Hashable, Sendable {
    /// Who may share a kept result.
    public enum Scope: String, Hashable, Sendable {
        /// Anyone.
        case shared = "public"
        /// Only callers with the same authorization.
        case `private` = "private"
    }

    /// How long it is fresh; zero means not at all.
    public let timeToLive: Duration
    /// Who may share it.
    public let scope: Scope

    /// Hints of these values; a negative time counts as zero, one above 10 years as 10 years.
    public init(timeToLive: Duration, scope: Scope) {
        self.timeToLive = min(max(timeToLive, .zero), .seconds(10 * 365 * 86_400))
        self.scope = scope
    }

    /// Reads the hints of a result; what is absent or wrong means stale at once, and private.
    public init(json: JSONObject) {
        self.init(
            timeToLive: .milliseconds(json["ttlMs"]?.intValue ?? 0),
            scope: json["cacheScope"]?.stringValue.flatMap(Scope.init) ?? .private)
    }

    /// Writes the hints into a result.
    public func write(to json: inout JSONObject) {
        let parts = timeToLive.components
        let milliseconds =
            Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000)
        json["ttlMs"] = .number(JSONNumber(milliseconds))
        json["cacheScope"] = .string(scope.rawValue)
    }
}
