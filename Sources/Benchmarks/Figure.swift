internal import OrderedJSON

/// One measured figure, beside its limit or peer where it has one.
struct Figure {
    /// What was measured, such as `proxied.external.added`.
    var name: String
    /// The median.
    var value: Double
    /// Its unit, such as `µs`.
    var unit: String
    /// What it may be at most, in the same unit, from the same run.
    var limit: Double?

    /// The value as a part of its limit.
    var ratio: Double? { limit.map { value / $0 } }

    var json: JSONObject {
        var object: JSONObject = [
            "name": .string(name), "value": Self.number(value), "unit": .string(unit),
        ]
        if let limit, let ratio {
            object["limit"] = Self.number(limit)
            object["ratio"] = Self.number(ratio)
        }
        return object
    }

    var line: String {
        let text = "\(name): \(Self.rounded(value)) \(unit)"
        guard let limit, let ratio else { return text }
        return text + " (limit \(Self.rounded(limit)) \(unit), ratio \(Self.rounded(ratio)))"
    }

    private static func rounded(_ value: Double) -> String {
        String((value * 100).rounded() / 100)
    }

    private static func number(_ value: Double) -> JSONValue {
        JSONNumber((value * 1000).rounded() / 1000).map { .number($0) } ?? .null
    }
}
