/// Which connection to look at next, and when.
///
/// A binary heap. Entries are not taken out when a deadline is put off: their owner looks again
/// when they come up.
struct DeadlineQueue {
    struct Entry {
        let nanoseconds: Int64
        let connection: ConnectionID
    }

    private var heap: [Entry] = []

    /// The earliest moment in the queue.
    var next: Int64? { heap.first?.nanoseconds }

    mutating func add(_ entry: Entry) {
        heap.append(entry)
        var index = heap.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].nanoseconds < heap[parent].nanoseconds else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    /// Takes the earliest entry out if its moment has come.
    mutating func takeDue(_ now: Int64) -> Entry? {
        guard let first = heap.first, first.nanoseconds <= now else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var index = 0
        while true {
            var smallest = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                if heap[child].nanoseconds < heap[smallest].nanoseconds { smallest = child }
            }
            guard smallest != index else { return first }
            heap.swapAt(index, smallest)
            index = smallest
        }
    }
}
