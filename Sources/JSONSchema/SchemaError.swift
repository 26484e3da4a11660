public import OrderedJSON

/// Why a schema could not be compiled, and where in it.
public struct SchemaError: Error, Sendable {
    /// What was wrong.
    public enum Code: String, Sendable {
        /// A keyword has a value that JSON Schema does not allow.
        case invalidSchema
        /// `$schema` names a dialect that is not supported.
        case unsupportedDialect
        /// A keyword or a use of it that is not supported, such as a back reference in a pattern.
        case unsupportedKeyword
        /// A reference leads nowhere inside the document; other documents are never fetched.
        case unresolvedReference
        /// A pattern is no regular expression.
        case invalidPattern
        /// The schema exceeds one of ``SchemaLimits``.
        case tooLarge
    }

    /// What was wrong.
    public let code: Code

    /// What was wrong, where, and the remedy.
    public let message: String

    /// The place in the schema document.
    public let pointer: JSONPointer
}

extension SchemaError: CustomStringConvertible {
    /// The message, with the place in the schema.
    public var description: String { "\(message) (in the schema at '#\(pointer)')" }
}

extension SchemaError {
    static func invalidSchema(_ keyword: String, _ expected: String, at pointer: JSONPointer)
        -> Self
    {
        Self(
            code: .invalidSchema, message: "`\(keyword)` must be \(expected).",
            pointer: pointer.appending(keyword))
    }

    static func notASchema(at pointer: JSONPointer) -> Self {
        Self(
            code: .invalidSchema, message: "A schema must be an object or a boolean.",
            pointer: pointer)
    }

    static func unsupportedDialect(_ uri: String) -> Self {
        Self(
            code: .unsupportedDialect,
            message: """
                The schema dialect '\(quotable(uri))' is not supported. Use JSON Schema 2020-12, \
                2019-09 or draft-07.
                """,
            pointer: ["$schema"])
    }

    static func unsupportedKeyword(
        _ keyword: String, _ reason: String, at pointer: JSONPointer
    ) -> Self {
        Self(
            code: .unsupportedKeyword, message: "`\(keyword)` is not supported here: \(reason).",
            pointer: pointer.appending(keyword))
    }

    static func unresolvedReference(_ reference: String, at pointer: JSONPointer) -> Self {
        Self(
            code: .unresolvedReference,
            message: """
                The reference '\(quotable(reference))' leads nowhere in this document. Put what \
                it refers to under `$defs`; other documents are not fetched.
                """,
            pointer: pointer)
    }

    static func invalidPattern(_ problem: PatternProblem, at pointer: JSONPointer) -> Self {
        Self(code: problem.code, message: problem.message, pointer: pointer)
    }

    static func tooLarge(_ what: String, limit: Int, at pointer: JSONPointer) -> Self {
        Self(
            code: .tooLarge, message: "A schema may have at most \(limit) \(what).",
            pointer: pointer)
    }
}
