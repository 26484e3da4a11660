/// What the command line says about how to behave.
struct Options: Sendable {
    /// Which eras of the protocol it speaks.
    enum Era: String {
        case modern, legacy, both
    }

    /// A command line that cannot be understood.
    struct UsageError: Error, CustomStringConvertible {
        let description: String
    }

    var era = Era.both
    /// It exits when it is asked `server/discover`, as some old servers do.
    var exitsOnProbe = false
    /// It never answers `server/discover`, as other old servers do.
    var hangsOnProbe = false
    /// It waits this long before it reads anything.
    var startDelay = Duration.zero
    /// It complains and exits at once.
    var failsToStart = false
    /// Where it writes what its tools do; nowhere if nil.
    var ledgerPath: String?

    static let usage = """
        usage: mcp-fixture [--ledger PATH] [--era modern|legacy|both] [--exit-on-probe] \
        [--hang-on-probe] [--slow-start MILLISECONDS] [--fail-start]
        """

    init(arguments: [String]) throws {
        var rest = arguments[...]
        while let option = rest.popFirst() {
            switch option {
            case "--exit-on-probe": exitsOnProbe = true
            case "--hang-on-probe": hangsOnProbe = true
            case "--fail-start": failsToStart = true
            case "--era":
                guard let era = rest.popFirst().flatMap(Era.init(rawValue:)) else {
                    throw UsageError(description: Self.usage)
                }
                self.era = era
            case "--slow-start":
                guard let milliseconds = rest.popFirst().flatMap({ Int($0) }) else {
                    throw UsageError(description: Self.usage)
                }
                startDelay = .milliseconds(milliseconds)
            case "--ledger":
                guard let path = rest.popFirst() else {
                    throw UsageError(description: Self.usage)
                }
                ledgerPath = path
            default: throw UsageError(description: "unknown option '\(option)'\n\(Self.usage)")
            }
        }
    }
}
