/// A configured text that may take parts of itself from elsewhere: `Bearer ${secret:github}`.
///
/// References are `${NAME}` and `${env:NAME}` (an environment variable; with `:-value` a
/// default), and `${secret:NAME}`. A `$` before anything but `{` is an ordinary character.
public struct SecretText: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case literal(String)
        case environment(name: String, fallback: String?)
        case secret(name: String)
    }

    /// The text as it was written, references and all.
    public let written: String
    let parts: [Part]

    /// Reads the references in `written`, without following them.
    ///
    /// - Throws: ``SecurityError``: `.malformed` for a reference that is none.
    public init(parsing written: String) throws(SecurityError) {
        self.written = written
        var parts: [Part] = []
        var literal = ""
        var rest = written[...]
        while let start = rest.firstRange(of: "${") {
            literal += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                throw .unclosedReference()
            }
            if !literal.isEmpty { parts.append(.literal(literal)) }
            literal = ""
            parts.append(try Self.part(of: String(rest[start.upperBound..<end])))
            rest = rest[rest.index(after: end)...]
        }
        literal += rest
        if !literal.isEmpty { parts.append(.literal(literal)) }
        self.parts = parts
    }

    private static func part(of reference: String) throws(SecurityError) -> Part {
        if let name = reference.suffix(after: "secret:") {
            guard isSecretName(name) else { throw .badReference("secret:…}") }
            return .secret(name: name)
        }
        let variable = reference.suffix(after: "env:") ?? reference
        var name = variable
        var fallback: String?
        if let separator = variable.firstRange(of: ":-") {
            name = String(variable[..<separator.lowerBound])
            fallback = String(variable[separator.upperBound...])
        }
        guard isVariableName(name) else {
            // Only the word before the colon is shown: the rest might be anything.
            throw .badReference(reference.prefix { $0.isLetter } + "…}")
        }
        return .environment(name: name, fallback: fallback)
    }

    private static func isVariableName(_ name: String) -> Bool {
        name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_]{0,127}/) != nil
    }

    /// A secret's name is a file name too, so it cannot leave its folder.
    private static func isSecretName(_ name: String) -> Bool {
        name.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9_.\-]{0,127}/) != nil
    }
}

extension SecretText: CustomStringConvertible {
    /// A stand-in, so that no log ever holds a literal.
    public var description: String { "SecretText(…)" }
}

extension String {
    fileprivate func suffix(after prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }
}
