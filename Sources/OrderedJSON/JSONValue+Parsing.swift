extension JSONValue {
    /// Reads one JSON text in UTF-8, with nothing but white space around it.
    ///
    /// What is accepted beyond and refused short of RFC 8259 stands in `docs/json.md`.
    ///
    /// - Throws: ``JSONError``, naming the byte that was refused.
    public init(
        parsing bytes: some Sequence<UInt8>, limits: JSONLimits = .default
    ) throws(JSONError) {
        let whole = bytes.withContiguousStorageIfAvailable { buffer in
            unsafe Self.parse(buffer, limits: limits)
        }
        if let whole {
            self = try whole.get()
        } else {
            self = try unsafe ContiguousArray(bytes).withUnsafeBufferPointer { buffer in
                unsafe Self.parse(buffer, limits: limits)
            }.get()
        }
    }

    /// Reads one JSON text; offsets in errors count UTF-8 bytes.
    public init(parsing text: String, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: text.utf8, limits: limits)
    }

    private static func parse(
        _ buffer: UnsafeBufferPointer<UInt8>, limits: JSONLimits
    ) -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in
            var parser = unsafe JSONParser(buffer, limits: limits)
            return try parser.parseText()
        }
    }
}
