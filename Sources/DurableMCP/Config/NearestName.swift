/// Finds what somebody may have meant.
package enum NearestName {
    /// The name that is closest to `typed`, if any is close enough to be a slip.
    package static func of(_ typed: String, among names: some Sequence<String>) -> String? {
        let allowed = max(1, (typed.count + 1) / 3)
        let nearest = names.map { (name: $0, distance: distance(typed, $0)) }
            .min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= allowed else { return nil }
        return nearest.name
    }

    /// How many characters must be added, removed, replaced or swapped with their neighbour.
    static func distance(_ left: String, _ right: String) -> Int {
        let (left, right) = (Array(left.lowercased()), Array(right.lowercased()))
        // Names are short; what is long is no slip of one of them.
        guard left.count <= 64, right.count <= 64 else { return .max }
        var rows = [Array(0...right.count)]
        for row in 0..<left.count {
            var next = [row + 1]
            for column in 0..<right.count {
                var best = min(
                    rows[row][column] + (left[row] == right[column] ? 0 : 1),
                    min(rows[row][column + 1], next[column]) + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, rows[row - 1][column - 1] + 1)
                }
                next.append(best)
            }
            rows.append(next)
        }
        return rows[left.count][right.count]
    }
}
