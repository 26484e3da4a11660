/// A pattern for names: `*` stands for any characters, `?` for one, the rest for itself.
public struct WildcardPattern: Hashable, Sendable {
    /// As it was written.
    public let text: String

    /// A pattern as it is written; every text is one.
    public init(_ text: String) { self.text = text }

    /// Whether it is a plain name, and so matches only itself.
    public var isExact: Bool { !text.utf8.contains { $0 == 0x2A || $0 == 0x3F } }

    /// Whether `name` fits, in a time that grows with the product of the lengths at most.
    public func matches(_ name: String) -> Bool {
        let (pattern, name) = (Array(text), Array(name))
        var (patternIndex, nameIndex) = (0, 0)
        var star: (pattern: Int, name: Int)?
        while nameIndex < name.count {
            if patternIndex < pattern.count, pattern[patternIndex] == "*" {
                star = (patternIndex, nameIndex)
                patternIndex += 1
            } else if patternIndex < pattern.count,
                pattern[patternIndex] == "?" || pattern[patternIndex] == name[nameIndex]
            {
                patternIndex += 1
                nameIndex += 1
            } else if let last = star {
                // The last star takes one character more, and the rest is tried again.
                star = (last.pattern, last.name + 1)
                patternIndex = last.pattern + 1
                nameIndex = last.name + 1
            } else {
                return false
            }
        }
        return pattern[patternIndex...].allSatisfy { $0 == "*" }
    }
}
