extension JSONValue {
    /// The value as UTF-8 JSON: numbers and member order as they were written.
    ///
    /// - Parameter pretty: Whether to break lines and indent by two spaces; otherwise the result
    ///   is one line.
    /// - Returns: One JSON text, without a line break at its end.
    public func serialized(pretty: Bool = false) -> [UInt8] {
        var writer = JSONWriter(style: pretty ? .pretty : .compact)
        writer.write(self)
        return writer.bytes
    }

    /// The value as JSON on one line.
    public var text: String { String(decoding: serialized(), as: UTF8.self) }

    /// The one text that all values of the same meaning share, for digests.
    ///
    /// Members are sorted and strings written as RFC 8785 says. Numbers are exact, where
    /// RFC 8785 would round them to doubles: `1`, `1.0` and `1e0` give `1`, and two numbers that
    /// differ never give the same text. `docs/json.md` has the rules.
    public func canonicalBytes() -> [UInt8] {
        var writer = JSONWriter(style: .canonical)
        writer.write(self)
        return writer.bytes
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as JSON on one line.
    public var description: String { text }
}
