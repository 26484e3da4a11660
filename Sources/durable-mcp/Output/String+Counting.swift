extension String {
    /// A number with what it counts: "1 event", "2 events".
    init(counting count: some BinaryInteger, _ noun: String) {
        self = "\(count) \(noun)\(count == 1 ? "" : "s")"
    }
}
