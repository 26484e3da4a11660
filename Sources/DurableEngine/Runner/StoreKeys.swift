package import DurableLog
internal import OpenSSLCrypto
package import OrderedJSON

/// The keys that follow from a store's secret, and what is derived under them.
package struct StoreKeys: Sendable {
    private let effects: HMACSHA256
    private let arguments: HMACSHA256
    private let payloads: HMACSHA256
    private let conversations: HMACSHA256
    private let audit: HMACSHA256
    private let fingerprints: HMACSHA256

    /// The keys of a store with this secret of 32 bytes.
    package init(secret: [UInt8]) {
        func derived(_ purpose: String) -> HMACSHA256 {
            HMACSHA256(key: HMACSHA256.code(for: Array(purpose.utf8), key: secret))
        }
        effects = derived("effect key")
        arguments = derived("arguments digest")
        payloads = derived("payload hash")
        conversations = derived("conversation id")
        audit = derived("audit leaf")
        fingerprints = derived("upstream fingerprint")
    }

    /// The id of the conversation that a request without one gets.
    package func conversationID(principal: String, requestID: String) -> String {
        let code = conversations.code(for: Self.joined([principal, requestID]))
        return "cnv_" + Base32.encode(Array(code.prefix(17))).lowercased().prefix(26)
    }

    /// The idempotency key of one step's call.
    func effectKey(conversation: String, run: String, step: Int) -> String {
        Hex.encode(effects.code(for: Self.joined([conversation, run, String(step)])))
    }

    /// The digest under which arguments are shown and approved.
    package func argumentsDigest(tool: String, _ arguments: JSONObject) -> String {
        let canonical = JSONValue.object(arguments).canonicalBytes()
        return "hmac-sha256:"
            + Hex.encode(self.arguments.code(for: Self.joined([tool]) + canonical))
    }

    /// The hash that a retry of a submission must share.
    package func payloadHash(_ work: Work) -> String {
        let canonical = JSONValue.object(work.payload).canonicalBytes()
        return Hex.encode(payloads.code(for: canonical))
    }

    /// The keyed digest of an upstream's configuration.
    package func fingerprint(_ canonicalConfiguration: [UInt8]) -> String {
        Hex.encode(fingerprints.code(for: canonicalConfiguration))
    }

    /// What a row's digest takes in of its stored bytes, and what an export carries.
    package func auditLeaf(_ payload: [UInt8]) -> [UInt8] { audit.code(for: payload) }

    /// The parts one after the other, each with its length, so that no two lists give one text.
    private static func joined(_ parts: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for part in parts { bytes.appendCounted(Array(part.utf8)) }
        return bytes
    }
}

/// The chain of digests through one conversation.
package enum EventChain {
    /// The digest before the first event.
    package static let start = [UInt8](repeating: 0, count: 32)

    /// SHA-256 over the digest before, the header and the leaf of the stored bytes.
    ///
    /// The position in the whole store is no part of it, since the one who computes it does not
    /// know it.
    package static func digest(
        after previous: [UInt8], conversation: ConversationID, sequence: Int64, epoch: Int64,
        type: String, version: Int, time: Int64, leaf: [UInt8]
    ) -> [UInt8] {
        var bytes = previous
        bytes.reserveCapacity(200)
        bytes.appendCounted(Array(conversation.rawValue.utf8))
        bytes.appendInteger(UInt64(bitPattern: sequence))
        bytes.appendInteger(UInt64(bitPattern: epoch))
        bytes.appendCounted(Array(type.utf8))
        bytes.appendInteger(UInt64(version))
        bytes.appendInteger(UInt64(bitPattern: time))
        bytes += leaf
        return SHA256.hash(bytes)
    }
}

extension [UInt8] {
    /// Appends 8 bytes, most significant first.
    mutating func appendInteger(_ value: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }

    /// Appends the number of bytes, and the bytes.
    mutating func appendCounted(_ bytes: [UInt8]) {
        appendInteger(UInt64(bytes.count))
        self += bytes
    }
}

/// The keys of one conversation's calls.
struct ConversationKeys: CallKeys {
    let keys: StoreKeys
    let conversation: ConversationID

    func key(run: RunID, step: Int) -> String {
        keys.effectKey(conversation: conversation.rawValue, run: run.rawValue, step: step)
    }

    func argumentsDigest(tool: String, _ arguments: JSONObject) -> String {
        keys.argumentsDigest(tool: tool, arguments)
    }
}
