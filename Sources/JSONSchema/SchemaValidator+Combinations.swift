import OrderedJSON

extension SchemaValidator {
    mutating func applyCombination(
        _ keyword: SchemaKeyword, _ value: JSONValue, _ own: inout Evaluated
    ) -> Bool {
        switch keyword {
        case .allOf(let branches): return checkAll(branches, value, &own)
        case .anyOf(let branches): return checkAny(branches, value, &own)
        case .oneOf(let branches): return checkOne(branches, value, &own)
        case .not(let index): return checkNot(index, value)
        case .conditional(let condition, let then, let otherwise):
            guard let isMet = checkCondition(condition, value, &own) else { return false }
            guard let next = isMet ? then : otherwise else { return true }
            return check(next, value, &own)
        default: return true
        }
    }

    private mutating func checkAll(
        _ branches: [SchemaIndex], _ value: JSONValue, _ own: inout Evaluated
    ) -> Bool {
        var isValid = true
        for index in branches where !check(index, value, &own) {
            isValid = false
            if givenUp != nil || violations.count >= enough { return false }
        }
        return isValid
    }

    private mutating func checkNot(_ index: SchemaIndex, _ value: JSONValue) -> Bool {
        let attempt = attempt(index, value, enough: 1)
        guard givenUp == nil else { return false }
        return attempt.isValid ? fail("not", "has a form that is not allowed") : true
    }

    /// Whether an `if` is met; nil where the check was given up.
    private mutating func checkCondition(
        _ index: SchemaIndex, _ value: JSONValue, _ own: inout Evaluated
    ) -> Bool? {
        let attempt = attempt(index, value, enough: 1)
        guard givenUp == nil else { return nil }
        if attempt.isValid { own.formUnion(attempt.evaluated) }
        return attempt.isValid
    }

    private mutating func checkAny(
        _ branches: [SchemaIndex], _ value: JSONValue, _ own: inout Evaluated
    ) -> Bool {
        var attempts: [SchemaAttempt] = []
        var isValid = false
        for index in branches {
            let attempt = attempt(index, value, enough: enough)
            guard givenUp == nil else { return false }
            if attempt.isValid {
                own.formUnion(attempt.evaluated)
                isValid = true
                // Only who asks what was evaluated needs every branch that matches.
                if !schema.tracksEvaluation { return true }
            }
            attempts.append(attempt)
        }
        return isValid ? true : report("anyOf", branches, attempts, value)
    }

    private mutating func checkOne(
        _ branches: [SchemaIndex], _ value: JSONValue, _ own: inout Evaluated
    ) -> Bool {
        var attempts: [SchemaAttempt] = []
        var matching = 0
        for index in branches {
            let attempt = attempt(index, value, enough: enough)
            guard givenUp == nil else { return false }
            if attempt.isValid {
                own.formUnion(attempt.evaluated)
                matching += 1
            }
            attempts.append(attempt)
        }
        switch matching {
        case 1: return true
        case 0: return report("oneOf", branches, attempts, value)
        default:
            return fail(
                "oneOf",
                "must have exactly one of the \(branches.count) allowed forms, not \(matching)"
            )
        }
    }

    /// Reports why no branch matches: by the one branch that was meant, if that can be told.
    private mutating func report(
        _ keyword: String, _ branches: [SchemaIndex], _ attempts: [SchemaAttempt],
        _ value: JSONValue
    ) -> Bool {
        let depth = path.count
        let ofKind = attempts.filter { attempt in
            !attempt.violations.contains {
                $0.keyword == "type" && $0.pointer.tokens.count == depth
            }
        }
        if ofKind.isEmpty {
            var kinds: KindSet = []
            for index in branches { kinds.formUnion(self.kinds(of: index)) }
            if !kinds.isEmpty {
                return fail(keyword, "must be \(kinds.words), not \(KindSet(of: value).words)")
            }
        }
        // A member such as `type` with a fixed value tells which branch was meant.
        let tags = ofKind.map { attempt in
            attempt.violations.first { $0.allowed != nil && $0.pointer.tokens.count == depth + 1 }
        }
        let tagged = zip(ofKind, tags).filter { $0.1 == nil }.map(\.0)
        if let tag = tags.first??.pointer, tags.count > 1, tags.allSatisfy({ $0?.pointer == tag }) {
            let allowed = listed(tags.compactMap { $0?.allowed }, "or")
            return fail(keyword, "must be \(allowed)", at: tag.tokens.last.map(PathStep.key))
        }
        if let meant = tagged.count == 1 ? tagged.first : ofKind.count == 1 ? ofKind.first : nil {
            violations += meant.violations.prefix(enough - violations.count)
            return false
        }
        var reasons: [String] = []
        for violation in attempts.compactMap(\.violations.first).map(\.message)
        where !reasons.contains(violation) && reasons.count < 6 {
            reasons.append(violation)
        }
        return fail(
            keyword,
            "has none of the \(branches.count) allowed forms: \(reasons.joined(separator: "; or "))"
        )
    }

    /// The kinds that a schema's own `type`, or that of what it refers to, allows.
    private func kinds(of index: SchemaIndex) -> KindSet {
        var index = index
        for _ in 0..<8 {
            guard let first = schema.nodes[index].keywords.first else { return [] }
            switch first {
            case .type(let kinds): return kinds
            case .reference(let next): index = next
            default: return []
            }
        }
        return []
    }
}
