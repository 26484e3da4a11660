/// Decodes types from JSON values.
///
/// Members the type does not know are ignored. Integers must be exact: `1.0` is 1, `1.5` and
/// what does not fit are errors. ``JSONValue`` itself can be decoded, as any part of a type.
public struct JSONValueDecoder: Sendable {
    /// A decoder.
    public init() {}

    /// Decodes one value.
    ///
    /// - Throws: ``JSONDecodingError``, naming the place in the value; or what an initializer of
    ///   the type threw, unless that is a `DecodingError`.
    public func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T {
        do {
            return try ValueDecoder(value: value, pointer: []).decode(type)
        } catch let error as DecodingError {
            throw JSONDecodingError.reported(error)
        }
    }
}

extension JSONValue: Decodable {
    /// Takes the value as it is; only ``JSONValueDecoder`` can give one.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? ValueDecoder else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "needs JSONValueDecoder"))
        }
        self = decoder.value
    }
}

/// A value that is being decoded, and its place.
struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: JSONValue
    let pointer: JSONPointer

    var codingPath: [any CodingKey] { pointer.tokens.map(PathKey.init(stringValue:)) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        guard case .object(let object) = value else {
            throw JSONDecodingError.mismatch("an object", value, at: pointer)
        }
        return KeyedDecodingContainer(ObjectContainer(object: object, pointer: pointer))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else {
            throw JSONDecodingError.mismatch("an array", value, at: pointer)
        }
        return ArrayContainer(elements: elements, pointer: pointer)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { value.isNull }

    func decode(_ type: Bool.Type) throws -> Bool { try expect("a boolean", value.boolValue) }

    func decode(_ type: String.Type) throws -> String {
        try expect("a string", value.stringValue)
    }

    func decode(_ type: Double.Type) throws -> Double {
        try expect("a number of a double's range", value.numberValue?.doubleValue)
    }

    func decode(_ type: Float.Type) throws -> Float {
        let float = value.numberValue?.doubleValue.map { Float($0) }
        return try expect("a number of a float's range", float.flatMap { $0.isFinite ? $0 : nil })
    }

    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try T(from: self) }

    private func integer<T: FixedWidthInteger>() throws -> T {
        let range = "an integer from \(T.min) to \(T.max)"
        guard case .number(let number) = value else { return try expect(range, nil) }
        return try expect(range, T(number.text) ?? number.intValue.flatMap(T.init(exactly:)))
    }

    private func expect<T>(_ expected: String, _ found: T?) throws -> T {
        guard let found else { throw JSONDecodingError.mismatch(expected, value, at: pointer) }
        return found
    }
}

/// A step of a coding path.
private struct PathKey: CodingKey {
    let stringValue: String
    var intValue: Int? { Int(stringValue) }

    init(stringValue: String) { self.stringValue = stringValue }
    init(intValue: Int) { stringValue = String(intValue) }
}

private struct ObjectContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let object: JSONObject
    let pointer: JSONPointer

    var codingPath: [any CodingKey] { pointer.tokens.map(PathKey.init(stringValue:)) }
    var allKeys: [Key] { object.members.compactMap { Key(stringValue: $0.key) } }

    func contains(_ key: Key) -> Bool { object[key.stringValue] != nil }

    private func member(_ key: any CodingKey) throws -> ValueDecoder {
        guard let value = object[key.stringValue] else {
            throw JSONDecodingError.missing(key.stringValue, at: pointer)
        }
        return ValueDecoder(value: value, pointer: pointer.appending(key.stringValue))
    }

    func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try member(key).decode(type)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try member(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try member(PathKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

private struct ArrayContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let pointer: JSONPointer
    private(set) var currentIndex = 0

    init(elements: [JSONValue], pointer: JSONPointer) {
        self.elements = elements
        self.pointer = pointer
    }

    var codingPath: [any CodingKey] { pointer.tokens.map(PathKey.init(stringValue:)) }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private mutating func next() throws -> ValueDecoder {
        guard !isAtEnd else { throw JSONDecodingError.end(at: pointer, currentIndex) }
        defer { currentIndex += 1 }
        return ValueDecoder(
            value: elements[currentIndex], pointer: pointer.appending(currentIndex))
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().decode(type) }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try next() }
}
