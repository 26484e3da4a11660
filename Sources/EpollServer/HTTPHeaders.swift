/// Header fields in the order they were sent or are to be sent; names match in any case.
public struct HTTPHeaders: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// One field.
    public struct Field: Sendable, Equatable {
        /// The name as it was written.
        public var name: String
        /// The value without the blanks around it.
        public var value: String

        /// Makes a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// All fields, in order; several may bear one name.
    public private(set) var fields: [Field]

    /// Makes a list of fields, empty unless some are given.
    public init(_ fields: [Field] = []) {
        self.fields = fields
    }

    /// Makes a list of the fields given.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { Field(name: $0.0, value: $0.1) }
    }

    /// The value of the first field with that name; setting it replaces all of them.
    public subscript(name: String) -> String? {
        get { fields.first { Self.match($0.name, name) }?.value }
        set {
            fields.removeAll { Self.match($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// The values of all fields with that name, in order.
    public func values(for name: String) -> [String] {
        fields.filter { Self.match($0.name, name) }.map(\.value)
    }

    /// Adds a field after the others, also when one with that name is there.
    public mutating func append(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(count)
    }

    /// Whether two names are the same but for the case of ASCII letters.
    static func match(_ left: String, _ right: String) -> Bool {
        let left = left.utf8
        let right = right.utf8
        guard left.count == right.count else { return false }
        return zip(left, right).allSatisfy {
            OctetClass.lowercased($0) == OctetClass.lowercased($1)
        }
    }

}
