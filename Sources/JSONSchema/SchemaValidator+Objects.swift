import OrderedJSON

extension SchemaValidator {
    mutating func applyObject(
        _ keyword: SchemaKeyword, _ object: JSONObject, _ value: JSONValue,
        _ own: inout Evaluated
    ) -> Bool {
        switch keyword {
        case .required(let names): return checkRequired(names, object)
        case .propertyCount(let minimum, let maximum):
            return checkCount(
                object.count, minimum, maximum, ("minProperties", "maxProperties"),
                ("member", "members"))
        case .properties(let properties): return checkProperties(properties, object, &own)
        case .propertyNames(let index): return checkNames(index, object)
        case .dependentRequired(let dependencies):
            return checkDependencies(dependencies, object)
        case .dependentSchemas(let dependencies):
            return checkDependencies(dependencies, object, value, &own)
        case .unevaluatedProperties(let index): return checkUnevaluated(object, index, &own)
        default: return true
        }
    }

    private mutating func checkRequired(_ names: [String], _ object: JSONObject) -> Bool {
        guard spend(names.count / 16) else { return false }
        var isValid = true
        for name in names where object[name] == nil {
            isValid = fail("required", "is missing", at: .key(name))
        }
        return isValid
    }

    private mutating func checkDependencies(
        _ dependencies: [(key: String, required: [String])], _ object: JSONObject
    ) -> Bool {
        var isValid = true
        for (key, names) in dependencies where object[key] != nil {
            guard spend(1 + names.count / 16) else { return false }
            for name in names where object[name] == nil {
                isValid = fail(
                    "dependentRequired",
                    "is missing, and `\(pathText(path + [.key(key)]))` needs it", at: .key(name))
            }
        }
        return isValid
    }

    private mutating func checkDependencies(
        _ dependencies: [(key: String, schema: SchemaIndex)], _ object: JSONObject,
        _ value: JSONValue, _ own: inout Evaluated
    ) -> Bool {
        var isValid = true
        for (key, index) in dependencies where object[key] != nil {
            if !check(index, value, &own) { isValid = false }
            if givenUp != nil { return false }
        }
        return isValid
    }

    private mutating func checkProperties(
        _ properties: Properties, _ object: JSONObject, _ own: inout Evaluated
    ) -> Bool {
        var isValid = true
        for position in object.members.indices {
            let member = object.members[position]
            var isKnown = false
            if let named = properties.positions[ExactString(member.key)] {
                isKnown = true
                let index = properties.named[named].schema
                if !check(index, member.value, at: .key(member.key)) { isValid = false }
            }
            for (pattern, index) in properties.patterns {
                guard let isMatch = match(pattern, member.key) else { return false }
                guard isMatch else { continue }
                isKnown = true
                if !check(index, member.value, at: .key(member.key)) { isValid = false }
            }
            if !isKnown, let additional = properties.additional {
                isKnown = true
                if !checkAdditional(additional, member, properties) { isValid = false }
            }
            if givenUp != nil || violations.count >= enough { return isValid }
            if isKnown && schema.tracksEvaluation { own.positions.insert(position) }
        }
        return isValid
    }

    private mutating func checkAdditional(
        _ index: SchemaIndex, _ member: JSONObject.Member, _ properties: Properties
    ) -> Bool {
        guard case .never? = schema.nodes[index].keywords.first else {
            return check(index, member.value, at: .key(member.key))
        }
        let known = properties.named.map(\.key)
        let step = PathStep.key(quotable(member.key))
        if let nearest = nearestName(to: member.key, among: known) {
            let meant = pathText(path + [.key(nearest)])
            return fail("additionalProperties", "is not known; did you mean `\(meant)`?", at: step)
        }
        if known.isEmpty || known.count > 12 || !properties.patterns.isEmpty {
            return fail("additionalProperties", "is not known here", at: step)
        }
        let names = listed(known.map { "`\(quotable($0))`" }, "and")
        return fail("additionalProperties", "is not known; known are \(names)", at: step)
    }

    private mutating func checkNames(_ index: SchemaIndex, _ object: JSONObject) -> Bool {
        var isValid = true
        for member in object.members {
            path.append(.key(quotable(member.key)))
            let attempt = attempt(index, .string(member.key), enough: 1)
            path.removeLast()
            guard givenUp == nil else { return false }
            guard !attempt.isValid else { continue }
            let reason = attempt.violations.first?.message ?? ""
            isValid = fail(
                "propertyNames", "has a name that is not allowed: \(reason)", at: .key(member.key))
            if violations.count >= enough { break }
        }
        return isValid
    }

    private mutating func checkUnevaluated(
        _ object: JSONObject, _ index: SchemaIndex, _ own: inout Evaluated
    ) -> Bool {
        var isValid = true
        for (position, member) in object.members.enumerated() where !own.contains(position) {
            if case .never? = schema.nodes[index].keywords.first {
                isValid = fail(
                    "unevaluatedProperties", "is not known here", at: .key(member.key))
            } else if !check(index, member.value, at: .key(member.key)) {
                isValid = false
            }
            if givenUp != nil || violations.count >= enough { return isValid }
        }
        own.all = true
        return isValid
    }
}
