internal import DurableLog
internal import OpenSSLCrypto

/// What a whole log came to at one moment: as many events, up to here, with this hash.
///
/// Noted elsewhere, it shows later whether those events are all still there and unchanged.
public struct AuditTip: Hashable, Sendable {
    /// How many events there are.
    public let count: Int64
    /// The position of the last one; 0 where there is none.
    public let position: Int64
    /// SHA-256 over every event's position and digest, one after the other.
    let hash: [UInt8]

    /// The tip of an empty log.
    static let start = AuditTip(
        count: 0, position: 0, hash: [UInt8](repeating: 0, count: SHA256.byteCount))

    init(count: Int64, position: Int64, hash: [UInt8]) {
        self.count = count
        self.position = position
        self.hash = hash
    }

    /// Reads what ``text`` gave.
    ///
    /// - Throws: ``AuditError`` `.malformed`.
    public init(parsing text: String) throws(AuditError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "v1", let count = Int64(parts[1]),
            let position = Int64(parts[2]), (0...position).contains(count),
            String(count) == parts[1], String(position) == parts[2],
            // Anything else is no tip, whatever is wrong with it.
            let hash = try? Hex.decode(String(parts[3])), hash.count == SHA256.byteCount
        else { throw .badTip() }
        self.init(count: count, position: position, hash: hash)
    }

    /// The tip in writing, `v1:…`; opaque to those who carry it.
    public var text: String { "v1:\(count):\(position):\(Hex.encode(hash))" }

    /// The tip of the log that has one event more.
    func following(_ event: StoredEvent) -> AuditTip {
        var bytes = hash
        bytes.reserveCapacity(72)
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: event.position >> Int64(shift)))
        }
        bytes += event.event.digest
        return AuditTip(
            count: count + 1, position: event.position, hash: SHA256.hash(bytes))
    }
}

extension AuditTip: CustomStringConvertible {
    /// The tip in writing.
    public var description: String { text }
}
