/// A regular expression that is matched in time linear in the string: a nondeterministic
/// automaton, all of whose states advance together.
///
/// Look-around stays linear too: where a look-ahead holds is found for every position at once,
/// by running its automaton backwards over the string, and a look-behind forwards.
struct Pattern: Sendable {
    /// The pattern as the schema has it.
    let source: String
    let program: PatternProgram
    /// The look-arounds, inner ones before those that contain them.
    let looks: [(program: PatternProgram, isAhead: Bool)]

    /// Compiles a pattern of at most `states` states.
    init(_ source: String, states: Int) throws(PatternProblem) {
        guard source.utf8.count <= states * 4 else { throw .tooLarge(states) }
        self.source = source
        var parser = PatternParser(source)
        let tree = try parser.parse()
        var compiler = PatternCompiler(budget: states)
        program = try compiler.compile(tree, isReversed: false)
        looks = compiler.looks
    }
}

/// One automaton.
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        case consume(ScalarSet)
        case split(Int, Int)
        case jump(Int)
        case assertion(PatternAssertion)
        case look(Int, isNegated: Bool)
        case match
    }

    var instructions: [Instruction] = []

    /// Whether a match can begin only at the start of the string.
    var isAnchored: Bool {
        if case .assertion(.start)? = instructions.first { true } else { false }
    }
}

/// Turns a parsed pattern into automata.
struct PatternCompiler {
    private let budget: Int
    /// States made, plus one for every part looked at, so that repeating nothing ends too.
    private var spent = 0
    private(set) var looks: [(program: PatternProgram, isAhead: Bool)] = []

    init(budget: Int) { self.budget = budget }

    mutating func compile(
        _ tree: PatternTree, isReversed: Bool
    ) throws(PatternProblem) -> PatternProgram {
        var program = PatternProgram()
        try emit(tree, isReversed, &program)
        program.instructions.append(.match)
        return program
    }

    private mutating func emit(
        _ tree: PatternTree, _ isReversed: Bool, _ program: inout PatternProgram
    ) throws(PatternProblem) {
        spent += 1
        guard spent <= budget * 4, program.instructions.count < budget else {
            throw .tooLarge(budget)
        }
        switch tree {
        case .set(let set): program.instructions.append(.consume(set))
        case .assertion(let assertion): program.instructions.append(.assertion(assertion))
        case .sequence(let parts):
            for part in isReversed ? parts.reversed() : parts {
                try emit(part, isReversed, &program)
            }
        case .alternatives(let branches): try emit(branches, isReversed, &program)
        case .repeated(let body, let minimum, let maximum):
            try emit(body, minimum, maximum, isReversed, &program)
        case .look(let body, let isAhead, let isNegated):
            let inner = try compile(body, isReversed: isAhead)
            looks.append((inner, isAhead))
            program.instructions.append(.look(looks.count - 1, isNegated: isNegated))
        }
    }

    private mutating func emit(
        _ branches: [PatternTree], _ isReversed: Bool, _ program: inout PatternProgram
    ) throws(PatternProblem) {
        var jumps: [Int] = []
        for branch in branches.dropLast() {
            let split = program.instructions.count
            program.instructions.append(.jump(0))
            try emit(branch, isReversed, &program)
            jumps.append(program.instructions.count)
            program.instructions.append(.jump(0))
            program.instructions[split] = .split(split + 1, program.instructions.count)
        }
        if let last = branches.last { try emit(last, isReversed, &program) }
        for jump in jumps { program.instructions[jump] = .jump(program.instructions.count) }
    }

    private mutating func emit(
        _ body: PatternTree, _ minimum: Int, _ maximum: Int?, _ isReversed: Bool,
        _ program: inout PatternProgram
    ) throws(PatternProblem) {
        for _ in 0..<minimum { try emit(body, isReversed, &program) }
        let split = program.instructions.count
        guard let maximum else {
            program.instructions.append(.jump(0))
            try emit(body, isReversed, &program)
            program.instructions.append(.jump(split))
            program.instructions[split] = .split(split + 1, program.instructions.count)
            return
        }
        var splits: [Int] = []
        for _ in minimum..<maximum {
            splits.append(program.instructions.count)
            program.instructions.append(.jump(0))
            try emit(body, isReversed, &program)
        }
        for split in splits {
            program.instructions[split] = .split(split + 1, program.instructions.count)
        }
    }
}
