/// Why a value could not be decoded as a type, and where in it.
public struct JSONDecodingError: Error, Sendable {
    /// What was wrong.
    public enum Code: String, Sendable {
        /// A member that the type needs is not there.
        case missing
        /// A value is of another kind, or outside of what the type can hold.
        case mismatch
    }

    /// What was wrong.
    public let code: Code

    /// The place in the value.
    public let pointer: JSONPointer

    /// What was expected and what is there, without any value.
    public let message: String
}

extension JSONDecodingError: CustomStringConvertible {
    /// The message, after the place.
    public var description: String {
        pointer.tokens.isEmpty ? message : "\(pointer): \(message)"
    }
}

extension JSONDecodingError {
    static func missing(_ key: String, at pointer: JSONPointer) -> Self {
        Self(code: .missing, pointer: pointer.appending(key), message: "is missing")
    }

    static func end(at pointer: JSONPointer, _ index: Int) -> Self {
        Self(code: .missing, pointer: pointer.appending(index), message: "is missing")
    }

    static func mismatch(_ expected: String, _ value: JSONValue, at pointer: JSONPointer) -> Self {
        Self(
            code: .mismatch, pointer: pointer,
            message: "must be \(expected), not \(value.kindWords)")
    }

    /// What a type's own initializer reported.
    static func reported(_ error: DecodingError) -> Self {
        let context: DecodingError.Context? =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context),
                .keyNotFound(_, let context), .dataCorrupted(let context):
                context
            @unknown default: nil
            }
        let tokens = context?.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
        return Self(
            code: .mismatch, pointer: JSONPointer(tokens: tokens ?? []),
            message: context?.debugDescription ?? "is not what the type needs")
    }
}

extension JSONValue {
    fileprivate var kindWords: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number(let number): number.isInteger ? "an integer" : "a number with a fraction"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
