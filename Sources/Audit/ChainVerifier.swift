internal import DurableEngine
internal import DurableLog
internal import OpenSSLCrypto

/// Follows the chain of digests through every conversation at once, in one pass over the log.
///
/// Of each conversation only the newest link is remembered, and of those only the most recent
/// ones: what was forgotten is read again. So memory does not grow with the log.
struct ChainVerifier {
    /// An event as the one after it needs it.
    private struct Link {
        var sequence: Int64
        var position: Int64
        var digest: [UInt8]
    }

    private let store: any EventStore
    private let keys: StoreKeys
    private let expected: AuditTip?
    private let linkLimit: Int
    private var recent: [ConversationID: Link] = [:]
    private var older: [ConversationID: Link] = [:]
    private var tipAtExpected = AuditTip.start
    private var verdict = AuditVerdict()

    /// A verifier of one log, which remembers up to twice `linkLimit` conversations.
    init(store: any EventStore, keys: StoreKeys, expected: AuditTip?, linkLimit: Int) {
        self.store = store
        self.keys = keys
        self.expected = expected
        self.linkLimit = linkLimit
    }

    /// Reads the whole log.
    consuming func verify() async throws(StoreError) -> AuditVerdict {
        var pages = EventPages(store: store)
        do {
            while let page = try await pages.next() {
                for event in page { try await check(event) }
            }
        } catch {
            guard error.code == .corrupt else { throw error }
            verdict.add(
                AuditFinding(
                    .unreadable, position: pages.position,
                    message: "The log cannot be read from position \(pages.position) on: "
                        + error.message))
        }
        checkExpected()
        return verdict
    }

    private mutating func check(_ event: StoredEvent) async throws(StoreError) {
        let previous = try await predecessor(of: event)
        if let previous, !isChained(event, after: previous) {
            report(
                .changed, event,
                "does not follow from the one before it: it, or its digest, was changed")
        }
        if event.sequence == 1 { verdict.conversationCount += 1 }
        remember(event)
        verdict.tip = verdict.tip.following(event)
        if let expected, event.position <= expected.position { tipAtExpected = verdict.tip }
    }

    /// The digest that an event is chained to; nil, and a finding, where that is gone.
    private mutating func predecessor(of event: StoredEvent) async throws(StoreError) -> [UInt8]? {
        let link = recent[event.conversation] ?? older[event.conversation]
        if let link {
            if event.sequence == link.sequence + 1 { return link.digest }
            if event.sequence <= link.sequence {
                report(
                    .misplaced, event,
                    "stands behind event \(link.sequence) of its conversation in the log")
            }
        }
        guard event.sequence > 1 else { return EventChain.start }
        let before = try await store.events(
            of: event.conversation, after: event.sequence - 2, limit: 1
        ).first
        if let before, before.sequence == event.sequence - 1 {
            if link == nil, before.position > event.position {
                report(
                    .misplaced, event,
                    "stands before event \(before.sequence) of its conversation in the log")
            }
            return before.event.digest
        }
        let last = try await lastSequence(of: event.conversation, before: event.sequence)
        let gone =
            last == event.sequence - 2
            ? "event \(event.sequence - 1) is"
            : "events \(last + 1) to \(event.sequence - 1) are"
        report(.missing, event, "has lost what came before it: \(gone) gone")
        return nil
    }

    /// The sequence of the last event before a hole; 0 where there is none.
    private func lastSequence(
        of conversation: ConversationID, before end: Int64
    ) async throws(StoreError) -> Int64 {
        var last: Int64 = 0
        while true {
            let page = try await store.events(of: conversation, after: last, limit: 100)
            for event in page where event.sequence < end { last = max(last, event.sequence) }
            guard page.count == 100, let end = page.last?.sequence, end == last else {
                return last
            }
        }
    }

    private func isChained(_ event: StoredEvent, after previous: [UInt8]) -> Bool {
        let content = event.event
        let digest = EventChain.digest(
            after: previous, conversation: event.conversation, sequence: event.sequence,
            epoch: event.epoch, type: content.type, version: content.version, time: content.time,
            leaf: keys.auditLeaf(content.payload))
        return digest == content.digest
    }

    private mutating func remember(_ event: StoredEvent) {
        let known = recent[event.conversation] ?? older[event.conversation]
        guard known.map({ $0.sequence < event.sequence }) ?? true else { return }
        if recent.count >= linkLimit { (older, recent) = (recent, [:]) }
        recent[event.conversation] = Link(
            sequence: event.sequence, position: event.position, digest: event.event.digest)
    }

    private mutating func checkExpected() {
        guard let expected, tipAtExpected != expected else { return }
        let lost = expected.count - tipAtExpected.count
        let what =
            if lost > 0 {
                "\(lost) of the \(expected.count) events up to position \(expected.position) "
                    + "are gone; what is left of them ends at position \(tipAtExpected.position)"
            } else if lost < 0 {
                "\(-lost) events were put in up to position \(expected.position)"
            } else {
                "the \(expected.count) events up to position \(expected.position) are not those "
                    + "that the tip was taken of"
            }
        verdict.add(
            AuditFinding(
                .tip, position: tipAtExpected.position,
                message: "The expected tip does not fit: \(what)."))
    }

    private mutating func report(
        _ kind: AuditFinding.Kind, _ event: StoredEvent, _ what: String
    ) {
        verdict.add(
            AuditFinding(
                kind, position: event.position, conversationID: event.conversation,
                sequence: event.sequence,
                message: """
                    Event \(event.sequence) of conversation '\(event.conversation)', at position \
                    \(event.position), \(what).
                    """))
    }
}
