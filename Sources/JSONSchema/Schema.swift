public import OrderedJSON

/// A compiled JSON Schema, of dialect 2020-12, 2019-09 or draft-07.
///
/// `docs/json-schema.md` says what is supported. Nothing is ever fetched, and every check ends
/// within ``SchemaLimits/steps``.
public struct Schema: Sendable {
    /// Every schema reached from the first, which is the root.
    let nodes: [SchemaNode]
    /// Whether anything asks what other keywords have evaluated.
    let tracksEvaluation: Bool
    let limits: SchemaLimits

    /// Compiles a schema document.
    ///
    /// - Parameters:
    ///   - document: An object or a boolean.
    ///   - entry: A reference to the schema to check by, such as `#/$defs/CallToolRequest`; the
    ///     whole document by default. Only what it reaches is compiled.
    ///   - limits: How much work the schema may cause.
    /// - Throws: ``SchemaError``, naming the place in the document.
    public init(
        compiling document: JSONValue, at entry: String = "#", limits: SchemaLimits = .default
    ) throws(SchemaError) {
        var compiler = try SchemaCompiler(document, limits: limits)
        nodes = try compiler.compile(entry: entry)
        tracksEvaluation = compiler.tracksEvaluation
        self.limits = limits
    }

    /// Checks a value.
    ///
    /// - Parameters:
    ///   - value: The value to check.
    ///   - name: What the value is called; paths begin with it.
    /// - Returns: Nothing where the value is valid; otherwise at most
    ///   ``SchemaLimits/violations``, the first ones found. A check that hits a limit is a
    ///   violation too, so a value is never taken as valid unchecked.
    public func validate(_ value: JSONValue, named name: String = "") -> [SchemaViolation] {
        var validator = SchemaValidator(self, name: name)
        return validator.run(value)
    }
}
