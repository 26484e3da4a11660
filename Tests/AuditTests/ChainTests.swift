import Audit
import DurableEngine
import DurableLog
import DurableSecurity
import Testing

/// One way to change a log behind the program's back, and what an audit must say of it.
struct Tampering: CustomStringConvertible, Sendable {
    let description: String
    let kinds: [AuditFinding.Kind]
    /// Whether only somebody who noted a tip can see it.
    var needsTip = false
    let change: @Sendable (inout [StoredEvent]) -> Void

    static let all = [
        Tampering(description: "a byte of a payload", kinds: [.changed]) { events in
            let last = events[6].event.payload.count - 3
            events[6].event.payload[last] ^= 1
        },
        Tampering(description: "a time", kinds: [.changed]) { $0[6].event.time += 1 },
        Tampering(description: "a type", kinds: [.changed]) { $0[6].event.type = "run.started" },
        Tampering(description: "a version", kinds: [.changed]) { $0[6].event.version += 1 },
        Tampering(description: "an epoch", kinds: [.changed]) { $0[6].epoch += 1 },
        Tampering(description: "the last event's digest", kinds: [.changed]) {
            $0[$0.count - 1].event.digest[31] ^= 1
        },
        Tampering(
            description: "a digest, and so the link to the next", kinds: [.changed, .changed]
        ) { $0[1].event.digest[0] ^= 1 },
        Tampering(description: "two payloads swapped", kinds: [.changed, .changed]) { events in
            let payload = events[1].event.payload
            events[1].event.payload = events[2].event.payload
            events[2].event.payload = payload
        },
        Tampering(description: "an event of another conversation", kinds: [.changed]) { events in
            let last = events.count - 1
            events[last].event = events[0].event
        },
        Tampering(description: "one event gone", kinds: [.missing]) { $0.remove(at: 3) },
        Tampering(description: "three events gone", kinds: [.missing]) { $0.removeSubrange(2..<5) },
        Tampering(description: "a conversation's first event gone", kinds: [.missing]) {
            $0.remove(at: 0)
        },
        Tampering(description: "two events in each other's place", kinds: [.misplaced]) { events in
            let position = events[2].position
            events[2].position = events[3].position
            events[3].position = position
            events.swapAt(2, 3)
        },
        Tampering(description: "the end cut off", kinds: [], needsTip: true) { $0.removeLast(2) },
        Tampering(description: "a whole conversation gone", kinds: [], needsTip: true) { events in
            let first = events[0].conversation
            events.removeAll { $0.conversation == first }
        },
        Tampering(description: "everything gone", kinds: [], needsTip: true) { $0 = [] },
        Tampering(description: "an event moved to a free position", kinds: [], needsTip: true) {
            $0[$0.count - 1].position += 1
        },
    ]
}

@Suite("The chain of digests", .timeLimit(.minutes(1)))
struct ChainTests {
    @Test("a log that nobody touched is intact, with its own tip and with each earlier one")
    func intact() async throws {
        let log = try await SampleLog()
        let auditor = try await Auditor.open(store: log.store)
        let verdict = try await auditor.verify()
        #expect(verdict.findings == [])
        #expect(verdict.conversationCount == 5)
        #expect(verdict.tip.count > 30)
        #expect(try await auditor.tip() == verdict.tip)
        #expect(try await auditor.tip() == verdict.tip)

        var whole: [StoredEvent] = []
        try log.store.edit {
            whole = $0
            $0.removeLast(5)
        }
        let earlier = try await Auditor.open(store: log.store).tip()
        try log.store.edit { $0 = whole }
        #expect(earlier.count == verdict.tip.count - 5)
        #expect(try await auditor.verify(expecting: earlier).isIntact)
        #expect(try await auditor.verify(expecting: verdict.tip).isIntact)
    }

    @Test("what was changed is found, and where", arguments: Tampering.all)
    func tampering(_ tampering: Tampering) async throws {
        let log = try await SampleLog()
        let auditor = try await Auditor.open(store: log.store)
        let tip = try await auditor.tip()
        try log.store.edit(tampering.change)

        let blind = try await auditor.verify()
        #expect(blind.findings.map(\.kind) == tampering.kinds)
        #expect(blind.isIntact == tampering.needsTip)
        let seeing = try await auditor.verify(expecting: tip)
        #expect(!seeing.isIntact)
        if tampering.needsTip { #expect(seeing.findings.map(\.kind) == [.tip]) }
        for finding in blind.findings {
            let position = try #require(finding.position)
            #expect(finding.message.contains("position \(position)"))
        }
    }

    @Test("the finding names the event that was changed")
    func place() async throws {
        let log = try await SampleLog()
        var changed: StoredEvent?
        try log.store.edit { events in
            events[6].event.time += 1
            changed = events[6]
        }
        let finding = try #require(
            try await Auditor.open(store: log.store).verify().findings.first)
        #expect(finding.position == changed?.position)
        #expect(finding.conversationID == changed?.conversation)
        #expect(finding.sequence == changed?.sequence)
    }

    @Test("a hole says which events are gone")
    func hole() async throws {
        let log = try await SampleLog()
        try log.store.edit { $0.removeSubrange(2..<5) }
        let verdict = try await Auditor.open(store: log.store).verify()
        #expect(verdict.findings.first?.message.contains("events 3 to 5 are gone") == true)
    }

    @Test("links that were forgotten are read again")
    func forgottenLinks() async throws {
        let log = try await SampleLog()
        let keys = try await Engine.storeKeys(of: log.store)
        func verify() async throws -> AuditVerdict {
            try await Auditor(store: log.store, keys: keys, linkLimit: 1).verify()
        }
        #expect(try await verify().isIntact)
        try log.store.edit { events in
            // The conversations one in the other's way, so that no link is remembered.
            let order = events.sorted {
                ($0.sequence, $0.conversation.rawValue) < ($1.sequence, $1.conversation.rawValue)
            }
            for (index, event) in order.enumerated() {
                events[index] = event
                events[index].position = Int64(index + 1)
            }
        }
        #expect(try await verify().isIntact)
        try log.store.edit { $0.remove(at: 10) }
        #expect(try await verify().findings.map(\.kind) == [.missing])
    }

    @Test("only so many findings are kept, and all are counted")
    func findingLimit() async throws {
        let log = try await SampleLog()
        try log.store.edit { events in
            for index in 1...300 {
                var event = events[0]
                event.conversation = ConversationID(rawValue: "cnv_\(index)")
                event.position = events[events.count - 1].position + 1
                events.append(event)
            }
        }
        let verdict = try await Auditor.open(store: log.store).verify()
        #expect(verdict.findings.count == AuditVerdict.findingLimit)
        #expect(verdict.findingCount == 300)
    }

    @Test(
        "what is no tip is refused",
        arguments: [
            "", "v1", "v1:1:1:", "v2:0:0:\(String(repeating: "0", count: 64))",
            "v1:2:1:\(String(repeating: "0", count: 64))",
            "v1:-1:1:\(String(repeating: "0", count: 64))", "v1:0:0:00",
            "v1:01:1:\(String(repeating: "0", count: 64))",
        ])
    func badTip(text: String) {
        let error = #expect(throws: AuditError.self) { _ = try AuditTip(parsing: text) }
        #expect(error?.code == .malformed)
    }

    @Test("a tip that was written is read again")
    func tipText() async throws {
        let tip = try await Auditor.open(store: try await SampleLog().store).tip()
        #expect(tip.text.hasPrefix("v1:"))
        #expect(try AuditTip(parsing: tip.text) == tip)
    }
}
