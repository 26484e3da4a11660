/// Runs a pattern's automata over one string.
struct PatternMatcher {
    private let pattern: Pattern
    private let scalars: [Unicode.Scalar]
    /// Where each look-around holds, once it was found out.
    private var tables: [[Bool]] = []
    /// States that may still be visited.
    private(set) var budget: Int

    init(_ pattern: Pattern, _ text: String, budget: Int) {
        self.pattern = pattern
        self.budget = budget
        scalars = Array(text.unicodeScalars)
    }

    /// Whether the pattern matches somewhere in the string; nil where the budget ran out.
    mutating func matches() -> Bool? {
        for look in pattern.looks {
            guard let table = run(look.program, isBackward: look.isAhead, findsFirst: false) else {
                return nil
            }
            tables.append(table)
        }
        guard let table = run(pattern.program, isBackward: false, findsFirst: true) else {
            return nil
        }
        return table.contains(true)
    }

    /// Walks the string from one end to the other, starting a match at every position.
    ///
    /// - Returns: For each position whether a match ends there.
    private mutating func run(
        _ program: PatternProgram, isBackward: Bool, findsFirst: Bool
    ) -> [Bool]? {
        var table = [Bool](repeating: false, count: scalars.count + 1)
        var current = StateSet(capacity: program.instructions.count)
        var following = StateSet(capacity: program.instructions.count)
        let canEndEarly = findsFirst && program.isAnchored
        for step in 0...scalars.count {
            let position = isBackward ? scalars.count - step : step
            enter(0, of: program, at: position, into: &current)
            table[position] = current.hasMatch
            if findsFirst && current.hasMatch { return table }
            if canEndEarly && current.states.isEmpty { return table }
            budget -= current.visited
            guard budget > 0 else { return nil }
            guard step < scalars.count else { break }
            let scalar = scalars[isBackward ? position - 1 : position]
            let target = isBackward ? position - 1 : position + 1
            following.clear()
            for state in current.states {
                if case .consume(let set) = program.instructions[state], set.contains(scalar) {
                    enter(state + 1, of: program, at: target, into: &following)
                }
            }
            swap(&current, &following)
        }
        return table
    }

    /// Adds a state, and all that can be reached from it without consuming anything.
    private func enter(
        _ state: Int, of program: PatternProgram, at position: Int, into set: inout StateSet
    ) {
        set.pending.append(state)
        while let state = set.pending.popLast() {
            guard set.visit(state) else { continue }
            switch program.instructions[state] {
            case .consume: set.states.append(state)
            case .match: set.hasMatch = true
            case .jump(let target): set.pending.append(target)
            case .split(let first, let second):
                set.pending.append(second)
                set.pending.append(first)
            case .assertion(let assertion):
                if holds(assertion, at: position) { set.pending.append(state + 1) }
            case .look(let index, let isNegated):
                if tables[index][position] != isNegated { set.pending.append(state + 1) }
            }
        }
    }

    private func holds(_ assertion: PatternAssertion, at position: Int) -> Bool {
        switch assertion {
        case .start: return position == 0
        case .end: return position == scalars.count
        case .wordBoundary, .noWordBoundary:
            let before = position > 0 && ScalarSet.isWord(scalars[position - 1])
            let after = position < scalars.count && ScalarSet.isWord(scalars[position])
            return (before != after) == (assertion == .wordBoundary)
        }
    }
}

/// The states an automaton is in at one position.
private struct StateSet {
    /// Those that consume a scalar next.
    var states: [Int] = []
    var hasMatch = false
    /// Found, but not yet visited.
    var pending: [Int] = []
    /// How many states were visited.
    private(set) var visited = 1
    private var marks: [UInt32]
    private var generation: UInt32 = 1

    init(capacity: Int) { marks = [UInt32](repeating: 0, count: capacity) }

    /// Notes a state; false where it was noted before.
    mutating func visit(_ state: Int) -> Bool {
        guard marks[state] != generation else { return false }
        marks[state] = generation
        visited += 1
        return true
    }

    mutating func clear() {
        states.removeAll(keepingCapacity: true)
        hasMatch = false
        visited = 1
        if generation == .max {
            for index in marks.indices { marks[index] = 0 }
            generation = 0
        }
        generation += 1
    }
}
