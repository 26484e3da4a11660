public import DurableLog

/// What an ``EventStore`` is: each case is a fact that every conformer shows.
///
/// Run each of ``cases`` on an empty log of its own:
///
/// ```swift
/// @Test("the contract holds", arguments: EventStoreContract.cases)
/// func contract(fact: ContractCase) async throws { try await fact.check(MyHarness()) }
/// ```
public enum EventStoreContract {
    /// The tables that the cases use.
    public static let tables = [
        TableSchema(
            "runs",
            columns: [
                .init("id", .text), .init("status", .text), .init("created", .integer),
                .init("ended", .integer), .init("body", .blob),
            ], primaryKey: ["id"], indexes: [["status", "created"], ["ended"]],
            isProjection: true),
        TableSchema(
            "steps",
            columns: [.init("run", .text), .init("index", .integer), .init("order", .text)],
            primaryKey: ["run", "index"], isProjection: true),
    ]

    /// Every fact.
    public static let cases: [ContractCase] =
        appending + opening + batches + leases + inbox + processes + tableWrites + queries
        + keeping
}

extension NewEvent {
    /// A small event that differs by its number.
    public static func sample(_ number: Int, type: String = "sample.happened") -> NewEvent {
        var digest = [UInt8](repeating: 7, count: 32)
        digest[0] = UInt8(truncatingIfNeeded: number)
        digest[1] = UInt8(truncatingIfNeeded: number >> 8)
        return NewEvent(
            type: type, version: 1 + number % 2, time: 1_800_000_000_000 + Int64(number),
            payload: Array("{\"number\":\(number)}".utf8), digest: digest)
    }
}

extension EventStore {
    /// Opens a conversation with events numbered from 0.
    func open(_ conversation: ConversationID, count: Int) async throws(StoreError) {
        try await commit(
            Commit(appends: [
                Append(
                    conversation: conversation, expectedSequence: 0, epoch: 1,
                    events: (0..<count).map { .sample($0) }, lease: .open(processID))
            ]))
    }

    @discardableResult
    func append(
        _ numbers: [Int], to conversation: ConversationID, after sequence: Int64,
        epoch: Int64 = 1, lease: Append.LeaseChange = .keep, writes: [TableWrite] = []
    ) async throws(StoreError) -> CommitReceipt {
        try await commit(
            Commit(
                appends: [
                    Append(
                        conversation: conversation, expectedSequence: sequence, epoch: epoch,
                        events: numbers.map { .sample($0) }, lease: lease)
                ], writes: writes))
    }

    func numbers(of conversation: ConversationID) async throws(StoreError) -> [NewEvent] {
        try await events(of: conversation, after: 0, limit: 1000).map(\.event)
    }
}

extension ConversationID {
    static let first = ConversationID(rawValue: "cnv_first")
    static let second = ConversationID(rawValue: "cnv_second")
}

extension ProcessID {
    static let one = ProcessID(rawValue: "prc_one")
    static let two = ProcessID(rawValue: "prc_two")
    static let three = ProcessID(rawValue: "prc_three")
}
