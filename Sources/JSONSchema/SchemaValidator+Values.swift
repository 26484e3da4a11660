import OrderedJSON

extension SchemaValidator {
    mutating func checkType(_ kinds: KindSet, _ value: JSONValue) -> Bool {
        let kind = KindSet(of: value)
        if kinds.contains(kind) { return true }
        return fail("type", "must be \(kinds.words), not \(kind.words)")
    }

    mutating func checkEnumeration(_ enumeration: Enumeration, _ value: JSONValue) -> Bool {
        if enumeration.kinds.contains(KindSet(of: value)) {
            let canonical = value.canonicalBytes()
            guard spend(canonical.count / 64) else { return false }
            if enumeration.canonical.contains(canonical) { return true }
        }
        let several = enumeration.canonical.count > 1 ? "one of " : ""
        return fail(
            enumeration.keyword, "must be \(several)\(enumeration.shown)",
            allowed: enumeration.shown)
    }

    mutating func applyNumber(_ keyword: SchemaKeyword, _ number: JSONNumber) -> Bool {
        switch keyword {
        case .bound(let bound):
            let isBeyond =
                bound.isUpper ? bound.limit.isLess(than: number) : number.isLess(than: bound.limit)
            let isAt = bound.isExclusive && number.hasValue(of: bound.limit)
            if !isBeyond && !isAt { return true }
            let relation =
                switch (bound.isUpper, bound.isExclusive) {
                case (true, true): "less than"
                case (true, false): "at most"
                case (false, true): "greater than"
                case (false, false): "at least"
                }
            return fail(bound.keyword, "must be \(relation) \(bound.limit.text)")
        case .multipleOf(let divisor):
            if number.isMultiple(of: divisor) == true { return true }
            return fail("multipleOf", "must be a multiple of \(divisor.text)")
        default: return true
        }
    }

    mutating func applyString(_ keyword: SchemaKeyword, _ string: String) -> Bool {
        switch keyword {
        case .length(let minimum, let maximum):
            guard spend(string.utf8.count / 64) else { return false }
            let count = string.unicodeScalars.count
            return checkCount(
                count, minimum, maximum, ("minLength", "maxLength"), ("character", "characters"))
        case .pattern(let pattern):
            guard let isMatch = match(pattern, string) else { return false }
            if isMatch { return true }
            return fail("pattern", "must match the pattern \(quotable(pattern.source))")
        default: return true
        }
    }

    /// Checks a count of characters, elements or members.
    mutating func checkCount(
        _ count: Int, _ minimum: Int?, _ maximum: Int?, _ keywords: (String, String),
        _ unit: (one: String, many: String)
    ) -> Bool {
        if let minimum, count < minimum {
            let unit = minimum == 1 ? unit.one : unit.many
            return fail(keywords.0, "must have at least \(minimum) \(unit), not \(count)")
        }
        if let maximum, count > maximum {
            let unit = maximum == 1 ? unit.one : unit.many
            return fail(keywords.1, "must have at most \(maximum) \(unit), not \(count)")
        }
        return true
    }
}
