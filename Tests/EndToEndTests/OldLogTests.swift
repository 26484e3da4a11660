import Foundation
import OrderedJSON
import Testing

/// Logs of released versions, which must open for ever.
///
/// Each holds a script that completed, one that waits for a person, a call whose outcome is
/// unknown, and one that waits for its approval, of the principal `os:tester`.
@Suite("Old logs", .tags(.process), .timeLimit(.minutes(2)))
struct OldLogTests {
    static let versions = ["0.1.0"]

    private func opened(_ version: String) throws -> Workplace {
        let work = try Workplace()
        try FileManager.default.copyItem(
            atPath: "\(Product.repository)/fixtures/logs/\(version).sqlite", toPath: work.storePath)
        let tester: JSONValue = ["principal": "os:tester", "roles": ["use", "operate"]]
        try work.configure(servers: [:], adding: ["access": ["stdio": tester]])
        return work
    }

    @Test("is as it was written, and shows what happened", arguments: versions)
    func shows(version: String) async throws {
        let work = try opened(version)
        try await work.expectSoundLog()
        let runs = try #require(try await work.json("runs", "list")["runs"]?.arrayValue)
        #expect(runs.count == 4)
        #expect(runs.count { $0["status"] == "completed" } == 1)
        let purposes = try await work.json("approvals", "list")["approvals"]?.arrayValue?
            .compactMap { $0["purpose"]?.stringValue }.sorted()
        #expect(purposes == ["gate", "reconcile", "step"])
        let export = try await work.run("audit", "export")
        #expect(export.code == 0 && export.output.contains("effect.unknown"))
    }

    @Test("goes on where it was", arguments: versions)
    func goesOn(version: String) async throws {
        let work = try opened(version)
        let client = try await work.connect()
        let waiting = try #require(
            try await work.json("approvals", "list")["approvals"]?.arrayValue)
        for approval in waiting where approval["purpose"] != "gate" {
            let id = try #require(approval["approvalId"]?.stringValue)
            let run = try #require(approval["runId"]?.stringValue)
            #expect(try await work.run("approve", id).code == 0)
            #expect(try await client.settled(run).status == "completed")
        }
        // The same request as then finds the run of then.
        let script = try JSONValue(
            parsing: """
                {"steps": [{"assistant": "Hello."}, {"tool": "fix__echo", "arguments": {"n": 1.5}},
                 {"finish": "Done."}]}
                """)
        let again = try await client.call(
            "start_run", ["script": script, "requestId": "completed-1", "waitSeconds": 20])
        #expect(again.status == "completed", "\(again.text)")
        try await work.expectSoundLog()
    }
}
