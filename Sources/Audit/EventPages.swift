internal import DurableLog

/// Reads a whole log page by page, in the order of positions.
///
/// Pages shrink as events grow, so that about ``pageBytes`` are held at once.
struct EventPages {
    private static let pageBytes = 4 << 20
    private static let pageEvents = 1000

    private let store: any EventStore
    private(set) var position: Int64
    private var limit = 100
    private var isAtEnd = false

    init(store: any EventStore, after position: Int64 = 0) {
        self.store = store
        self.position = position
    }

    /// The next page, never empty; nil at the end.
    mutating func next() async throws(StoreError) -> [StoredEvent]? {
        guard !isAtEnd else { return nil }
        let page = try await store.events(after: position, limit: limit)
        isAtEnd = page.count < limit
        guard let last = page.last else { return nil }
        guard last.position > position else {
            throw StoreError(
                code: .corrupt, message: "The log does not go on after position \(position).")
        }
        position = last.position
        let bytes = page.reduce(1) { $0 + $1.event.payload.count }
        limit = min(max(page.count * Self.pageBytes / bytes, 1), Self.pageEvents)
        return page
    }
}
