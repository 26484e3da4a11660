/// A string that is compared by its UTF-8 bytes, as JSON keys are.
package struct ExactString: Hashable, Sendable {
    /// The string.
    package let text: String

    /// Wraps a string.
    package init(_ text: String) { self.text = text }

    /// Whether both have the same bytes.
    package static func == (first: Self, second: Self) -> Bool {
        sameBytes(first.text, second.text)
    }

    /// Feeds the bytes.
    package func hash(into hasher: inout Hasher) { combineBytes(of: text, into: &hasher) }
}

/// Whether two strings have the same UTF-8 bytes.
///
/// `==` on strings compares canonical equivalence, by which `é` as one scalar and as two are
/// the same; as JSON they are not.
func sameBytes(_ first: String, _ second: String) -> Bool {
    first.utf8.count == second.utf8.count && first == second
        && first.utf8.elementsEqual(second.utf8)
}

/// Feeds the UTF-8 bytes of `string` to `hasher`.
func combineBytes(of string: String, into hasher: inout Hasher) {
    var string = string
    string.withUTF8 { bytes in
        unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
    hasher.combine(0xFF as UInt8)
}
