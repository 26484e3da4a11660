internal import OpenSSLCrypto

/// A place in a list that is ordered by time and then by id, opaque to those who carry it.
struct PageCursor: Hashable {
    var time: Int64
    var id: String

    init(time: Int64, id: String) {
        self.time = time
        self.id = id
    }

    /// Reads what ``text`` gave; nil for anything else.
    init?(_ text: String) {
        // Any other text is no cursor, whatever is wrong with it.
        guard let bytes = try? Base64URL.decode(text) else { return nil }
        let parts = String(decoding: bytes, as: UTF8.self)
            .split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let time = Int64(parts[0]) else { return nil }
        self.init(time: time, id: String(parts[1]))
    }

    var text: String { Base64URL.encode(Array("\(time) \(id)".utf8)) }
}
