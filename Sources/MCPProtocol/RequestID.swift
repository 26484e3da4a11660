public import OrderedJSON

/// The id of a request: a string or an integer, never null.
///
/// Source: 2026-07-28 basic, "Requests".
public enum RequestID: Hashable, Sendable {
    /// A string, possibly empty.
    case string(String)
    /// An integer of 64 bits.
    case integer(Int)

    /// Reads an id; nil where the value is no string and no integer that fits 64 bits.
    public init?(_ json: JSONValue) {
        if let text = json.stringValue {
            self = .string(text)
        } else if let number = json.intValue {
            self = .integer(number)
        } else {
            return nil
        }
    }

    /// The id as it goes on the wire.
    public var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .integer(let number): .number(JSONNumber(number))
        }
    }
}

/// What ties progress notifications to a request: a string or an integer, as ids are.
public typealias ProgressToken = RequestID

extension RequestID: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A string id.
    public init(stringLiteral value: String) { self = .string(value) }

    /// An integer id.
    public init(integerLiteral value: Int) { self = .integer(value) }
}

extension RequestID: CustomStringConvertible {
    /// The id as one would write it in a log: a string in quotes, an integer without.
    public var description: String {
        switch self {
        case .string(let text): "\"\(text)\""
        case .integer(let number): String(number)
        }
    }
}
