internal import OrderedJSON

/// A template in a script's arguments, `${steps.N.output#/json/pointer}`: a value taken from the
/// result of an earlier step.
struct StepReference: Hashable {
    /// The step whose result is taken.
    var step: Int
    /// Where in the result the value is; the whole result where empty.
    var pointer: JSONPointer

    /// A piece of a string that may hold templates.
    enum Piece: Hashable {
        case text(String)
        case reference(StepReference)
    }

    /// Cuts a string into its pieces; nil where a template is malformed.
    static func pieces(of text: String) -> [Piece]? {
        guard text.contains("${steps.") else { return [.text(text)] }
        var pieces: [Piece] = []
        var rest = text[...]
        while let open = rest.firstRange(of: "${steps.") {
            guard let close = rest[open.upperBound...].firstIndex(of: "}"),
                let reference = StepReference(rest[open.upperBound..<close])
            else { return nil }
            if open.lowerBound > rest.startIndex {
                pieces.append(.text(String(rest[..<open.lowerBound])))
            }
            pieces.append(.reference(reference))
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.text(String(rest))) }
        return pieces
    }

    /// Reads what stands between `${steps.` and `}`.
    private init?(_ body: Substring) {
        let halves = body.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard let head = halves.first, head.hasSuffix(".output"),
            let step = Int(head.dropLast(".output".count)), step >= 0
        else { return nil }
        guard
            let pointer = try? JSONPointer(  // Its reason adds nothing to "malformed".
                parsing: halves.count == 2 ? String(halves[1]) : "")
        else { return nil }
        self.step = step
        self.pointer = pointer
    }

    /// Says what is wrong with the first template that is malformed or points forward.
    static func firstInvalid(in value: JSONValue, before index: Int) -> String? {
        switch value {
        case .string(let text):
            guard let pieces = pieces(of: text) else {
                return """
                    a template is malformed; write '${steps.N.output}' or \
                    '${steps.N.output#/json/pointer}'.
                    """
            }
            for case .reference(let reference) in pieces where reference.step >= index {
                return "'${steps.\(reference.step).output}' is not the result of an earlier step."
            }
            return nil
        case .array(let elements):
            return elements.lazy.compactMap { firstInvalid(in: $0, before: index) }.first
        case .object(let object):
            return object.members.lazy.compactMap { firstInvalid(in: $0.value, before: index) }
                .first
        default: return nil
        }
    }

    /// Puts the values in: a string that is one template becomes the value itself, otherwise its
    /// text is put into the string.
    ///
    /// What the values hold is never read as a template.
    ///
    /// - Throws: ``EngineError`` `.invalidScript` where a value is missing, or where what comes
    ///   out would be larger or deeper than arguments may be.
    static func render(
        _ value: JSONValue, output: (Int) -> JSONValue?
    ) throws(EngineError) -> JSONValue {
        var room = ArgumentRoom()
        return try render(value, at: 1, in: &room, output: output)
    }

    private static func render(
        _ value: JSONValue, at depth: Int, in room: inout ArgumentRoom,
        output: (Int) -> JSONValue?
    ) throws(EngineError) -> JSONValue {
        switch value {
        case .string(let text):
            guard text.contains("${steps."), let pieces = pieces(of: text) else { break }
            let rendered = try render(pieces, in: room, output: output)
            try room.take(rendered, at: depth)
            return rendered
        case .array(let elements):
            var rendered: [JSONValue] = []
            for element in elements {
                rendered.append(try render(element, at: depth + 1, in: &room, output: output))
            }
            return .array(rendered)
        case .object(let object):
            var rendered = object
            for member in object.members {
                try room.take(text: member.key)
                rendered[member.key] = try render(
                    member.value, at: depth + 1, in: &room, output: output)
            }
            return .object(rendered)
        default: break
        }
        try room.take(value, at: depth)
        return value
    }

    private static func render(
        _ pieces: [Piece], in room: ArgumentRoom, output: (Int) -> JSONValue?
    ) throws(EngineError) -> JSONValue {
        if pieces.count == 1, case .reference(let reference) = pieces[0] {
            return try reference.value(output)
        }
        var room = room
        var rendered = ""
        for piece in pieces {
            switch piece {
            case .text(let text): rendered += text
            case .reference(let reference):
                let value = try reference.value(output)
                try room.take(value, at: 1)
                rendered += value.stringValue ?? value.text
            }
        }
        return .string(rendered)
    }

    private func value(_ output: (Int) -> JSONValue?) throws(EngineError) -> JSONValue {
        guard let result = output(step) else {
            throw .invalidScript("step \(step) has no output to take a value from.")
        }
        guard let value = result[pointer] else {
            throw .invalidScript("the output of step \(step) has nothing at '\(pointer)'.")
        }
        return value
    }
}
