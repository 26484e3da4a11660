import OrderedJSON

/// Checks one value by a compiled schema.
struct SchemaValidator {
    let schema: Schema
    let name: String
    /// The way from the value that is checked to the one that is being looked at.
    var path: [PathStep] = []
    var violations: [SchemaViolation] = []
    /// How many violations are enough; fewer while only trying a branch.
    var enough: Int
    private var stepsLeft: Int
    private var depth = 0
    /// Set once a limit was hit: nothing is certain any more, and everything stops.
    private(set) var givenUp: SchemaViolation?

    init(_ schema: Schema, name: String) {
        self.schema = schema
        self.name = name
        enough = max(schema.limits.violations, 1)
        stepsLeft = schema.limits.steps
    }

    mutating func run(_ value: JSONValue) -> [SchemaViolation] {
        var evaluated = Evaluated()
        let isValid = check(0, value, &evaluated)
        if let givenUp { return violations.prefix(enough - 1) + [givenUp] }
        if !isValid && violations.isEmpty { _ = fail("false", "is not valid") }
        return violations
    }

    /// Checks a value by one schema, adding to `violations`; `evaluated` gains what the schema
    /// has evaluated of the value, if it is valid.
    mutating func check(
        _ index: SchemaIndex, _ value: JSONValue, _ evaluated: inout Evaluated
    ) -> Bool {
        guard spend(1), enter() else { return false }
        defer { depth -= 1 }
        var own = Evaluated()
        var isValid = true
        for keyword in schema.nodes[index].keywords where !apply(keyword, value, &own) {
            isValid = false
            if givenUp != nil || violations.count >= enough { break }
            // What else could be said of a value of the wrong kind would only distract.
            if case .type = keyword { break }
        }
        if isValid && schema.tracksEvaluation { evaluated.formUnion(own) }
        return isValid
    }

    private mutating func apply(
        _ keyword: SchemaKeyword, _ value: JSONValue, _ own: inout Evaluated
    ) -> Bool {
        switch keyword {
        case .never: return fail("false", "is not allowed")
        case .type(let kinds): return checkType(kinds, value)
        case .enumeration(let enumeration): return checkEnumeration(enumeration, value)
        case .reference(let index): return check(index, value, &own)
        case .allOf, .anyOf, .oneOf, .not, .conditional:
            return applyCombination(keyword, value, &own)
        default: break
        }
        switch value {
        case .number(let number): return applyNumber(keyword, number)
        case .string(let string): return applyString(keyword, string)
        case .array(let elements): return applyArray(keyword, elements, &own)
        case .object(let object): return applyObject(keyword, object, value, &own)
        case .null, .bool: return true
        }
    }

    /// Checks the value that one step leads to.
    mutating func check(_ index: SchemaIndex, _ value: JSONValue, at step: PathStep) -> Bool {
        path.append(step)
        defer { path.removeLast() }
        var evaluated = Evaluated()
        return check(index, value, &evaluated)
    }

    /// Checks without reporting.
    mutating func attempt(
        _ index: SchemaIndex, _ value: JSONValue, enough: Int
    ) -> SchemaAttempt {
        let saved = (violations, self.enough)
        violations = []
        self.enough = enough
        var evaluated = Evaluated()
        let isValid = check(index, value, &evaluated)
        let result = SchemaAttempt(isValid: isValid, violations: violations, evaluated: evaluated)
        (violations, self.enough) = saved
        return result
    }

    /// Adds a violation of the value that is being looked at.
    ///
    /// Where there is a `step`, what it leads to is meant instead. The message is the name of
    /// that and `predicate`. Always false, for callers to return.
    mutating func fail(
        _ keyword: String, _ predicate: String, at step: PathStep? = nil, allowed: String? = nil
    ) -> Bool {
        guard violations.count < enough else { return false }
        var violation = violation(keyword, predicate, at: step)
        violation.allowed = allowed
        violations.append(violation)
        return false
    }

    private func violation(
        _ keyword: String, _ predicate: String, at step: PathStep?
    ) -> SchemaViolation {
        let steps = path + (step.map { [$0] } ?? [])
        let inner = pathText(steps)
        let full = name.isEmpty ? inner : pathText([.key(name)] + steps)
        let subject = steps.isEmpty ? (name.isEmpty ? "the value" : "`\(full)`") : "`\(inner)`"
        let tokens = steps.map { step in
            switch step {
            case .key(let key): key
            case .index(let index): String(index)
            }
        }
        return SchemaViolation(
            path: full, pointer: JSONPointer(tokens: tokens), keyword: keyword,
            message: "\(subject) \(predicate)")
    }

    /// Takes steps from the budget; false, and the end of the check, where none are left.
    mutating func spend(_ steps: Int) -> Bool {
        guard givenUp == nil else { return false }
        stepsLeft -= steps
        guard stepsLeft < 0 else { return true }
        givenUp = violation(
            "$limit", "takes more than \(schema.limits.steps) steps to check: send less", at: nil)
        return false
    }

    private mutating func enter() -> Bool {
        guard depth < schema.limits.depth else {
            givenUp = violation(
                "$limit", "is nested too deep to be checked: send a flatter value", at: nil)
            return false
        }
        depth += 1
        return true
    }

    /// Matches a pattern, at the budget's expense; nil where it ran out.
    mutating func match(_ pattern: Pattern, _ text: String) -> Bool? {
        let (states, overflow) = max(stepsLeft, 0).multipliedReportingOverflow(by: 64)
        var matcher = PatternMatcher(pattern, text, budget: overflow ? .max : states)
        let before = matcher.budget
        let result = matcher.matches()
        guard spend((before - matcher.budget) / 64 + 1) else { return nil }
        return result
    }
}

/// What came of trying a schema.
struct SchemaAttempt {
    let isValid: Bool
    let violations: [SchemaViolation]
    let evaluated: Evaluated
}

/// Which members or elements of a value some keyword has evaluated.
struct Evaluated {
    var all = false
    /// Positions of members, or of elements.
    var positions: Set<Int> = []

    func contains(_ position: Int) -> Bool { all || positions.contains(position) }

    mutating func formUnion(_ other: Evaluated) {
        all = all || other.all
        if !all { positions.formUnion(other.positions) }
    }
}
