internal import DurableLog

/// One fact that every store must show.
public struct ContractCase: Sendable, CustomStringConvertible {
    /// The fact, as a sentence.
    public let name: String
    /// Checks it on an empty log; throws ``ContractFailure`` where it does not hold.
    public let check: @Sendable (any StoreHarness) async throws -> Void

    /// The name, for reports.
    public var description: String { name }

    init(_ name: String, _ check: @escaping @Sendable (any StoreHarness) async throws -> Void) {
        self.name = name
        self.check = check
    }
}

/// A fact that did not hold.
public struct ContractFailure: Error, CustomStringConvertible {
    /// What was found instead.
    public let description: String
    /// Where it was checked.
    public let line: Int
}

func expect(
    _ condition: Bool, _ otherwise: @autoclosure () -> String, line: Int = #line
) throws {
    if !condition {
        throw ContractFailure(description: "\(otherwise()) (line \(line))", line: line)
    }
}

func expectEqual<Value: Equatable>(
    _ found: Value, _ expected: Value, line: Int = #line
) throws {
    try expect(found == expected, "Found \(found), not \(expected).", line: line)
}

/// Checks that `body` fails with this code.
@discardableResult
func expectFailure<Value>(
    _ code: StoreError.Code, line: Int = #line, _ body: () async throws(StoreError) -> Value
) async throws -> StoreError {
    do throws(StoreError) {
        _ = try await body()
    } catch {
        try expect(
            error.code == code, "Failed with \(error.code): \(error.message)", line: line)
        return error
    }
    throw ContractFailure(description: "Nothing failed (line \(line)).", line: line)
}
