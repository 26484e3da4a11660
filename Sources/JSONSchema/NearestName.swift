/// The name a misspelt one was probably meant to be, or nil where none is near.
///
/// Near is at most two edits away, or one for names under five letters. Looks at up to 200
/// names, and at none longer than 64 characters.
package func nearestName(to name: String, among names: [String]) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars)
    guard wanted.count <= 64 else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in names.prefix(200) {
        let letters = Array(candidate.lowercased().unicodeScalars)
        guard letters.count <= 64 else { continue }
        let distance = editDistance(wanted, letters)
        let near = min(2, (max(wanted.count, letters.count) + 1) / 3)
        if distance <= near, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
}

/// How many insertions, removals and replacements make one from the other.
private func editDistance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar]) -> Int {
    var row = Array(0...second.count)
    for (i, a) in first.enumerated() {
        var diagonal = row[0]
        row[0] = i + 1
        for (j, b) in second.enumerated() {
            let above = row[j + 1]
            row[j + 1] = a == b ? diagonal : 1 + min(diagonal, above, row[j])
            diagonal = above
        }
    }
    return row[second.count]
}
