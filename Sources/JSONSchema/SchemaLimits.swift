/// How much work a schema may cause, to compile and to check a value by.
public struct SchemaLimits: Hashable, Sendable {
    /// How many schemas a schema may consist of.
    public var schemas: Int

    /// How many schemas may be checked inside one another: about one for each array, object,
    /// reference and combination that encloses a value.
    ///
    /// 256 fit a stack of 1 MiB even in a debug build.
    public var depth: Int

    /// How many steps one check may take: about one for each value a schema is applied to, and
    /// for every 64 bytes that are compared or matched.
    public var steps: Int

    /// How many violations are reported; checking ends with the last of them.
    public var violations: Int

    /// How many states a pattern may have; `{n}` counts what it repeats n times.
    public var patternStates: Int

    /// Limits for schemas and values from outside: 20,000 schemas, 256 deep, 2,000,000 steps,
    /// 10 violations and 10,000 states.
    public static let `default` = SchemaLimits()

    /// Limits, by default those of ``default``.
    public init(
        schemas: Int = 20_000, depth: Int = 256, steps: Int = 2_000_000, violations: Int = 10,
        patternStates: Int = 10_000
    ) {
        self.schemas = schemas
        self.depth = depth
        self.steps = steps
        self.violations = violations
        self.patternStates = patternStates
    }
}
