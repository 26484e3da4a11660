import OrderedJSON

extension SchemaValidator {
    mutating func applyArray(
        _ keyword: SchemaKeyword, _ elements: [JSONValue], _ own: inout Evaluated
    ) -> Bool {
        switch keyword {
        case .itemCount(let minimum, let maximum):
            return checkCount(
                elements.count, minimum, maximum, ("minItems", "maxItems"),
                ("element", "elements"))
        case .uniqueItems: return checkUnique(elements)
        case .items(let prefix, let rest): return checkItems(elements, prefix, rest, &own)
        case .contains(let index, let minimum, let maximum, let evaluates):
            return checkContains(
                elements, index, minimum, maximum, evaluates: evaluates, &own)
        case .unevaluatedItems(let index): return checkUnevaluated(elements, index, &own)
        default: return true
        }
    }

    private mutating func checkUnique(_ elements: [JSONValue]) -> Bool {
        var seen: [[UInt8]: Int] = [:]
        for (position, element) in elements.enumerated() {
            let canonical = element.canonicalBytes()
            guard spend(1 + canonical.count / 64) else { return false }
            if let earlier = seen.updateValue(position, forKey: canonical) {
                return fail(
                    "uniqueItems", "repeats the element at \(earlier)", at: .index(position))
            }
        }
        return true
    }

    private mutating func checkItems(
        _ elements: [JSONValue], _ prefix: [SchemaIndex], _ rest: SchemaIndex?,
        _ own: inout Evaluated
    ) -> Bool {
        var isValid = true
        for (position, element) in elements.enumerated() {
            guard let index = position < prefix.count ? prefix[position] : rest else { break }
            if !check(index, element, at: .index(position)) {
                isValid = false
                if givenUp != nil || violations.count >= enough { return false }
            }
            if rest == nil && schema.tracksEvaluation { own.positions.insert(position) }
        }
        if rest != nil { own.all = true }
        return isValid
    }

    private mutating func checkContains(
        _ elements: [JSONValue], _ index: SchemaIndex, _ minimum: Int, _ maximum: Int?,
        evaluates: Bool, _ own: inout Evaluated
    ) -> Bool {
        var found = 0
        for (position, element) in elements.enumerated() {
            path.append(.index(position))
            let attempt = attempt(index, element, enough: 1)
            path.removeLast()
            guard givenUp == nil else { return false }
            guard attempt.isValid else { continue }
            found += 1
            if evaluates && schema.tracksEvaluation { own.positions.insert(position) }
        }
        if found < minimum {
            return fail(
                minimum == 1 ? "contains" : "minContains",
                "must contain at least \(minimum) of the elements its schema asks for, not \(found)"
            )
        }
        if let maximum, found > maximum {
            return fail(
                "maxContains",
                "must contain at most \(maximum) of the elements its schema counts, not \(found)")
        }
        return true
    }

    private mutating func checkUnevaluated(
        _ elements: [JSONValue], _ index: SchemaIndex, _ own: inout Evaluated
    ) -> Bool {
        var isValid = true
        for (position, element) in elements.enumerated() where !own.contains(position) {
            if !check(index, element, at: .index(position)) {
                isValid = false
                if givenUp != nil || violations.count >= enough { return false }
            }
        }
        own.all = true
        return isValid
    }
}
