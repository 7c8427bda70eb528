/// What a misspelt word may mean.
package enum Spelling {
    /// The word with the fewest edits, if it needs no more edits than a third of its length, and at least one.
    package static func nearest(to text: String, in words: [String]) -> String? {
        guard text.count <= 64 else { return nil }
        let ranked = words.map { ($0, distance(Array(text.lowercased()), Array($0.lowercased()))) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(1, best.0.count / 3) else { return nil }
        return best.0
    }

    /// The Levenshtein distance, with two neighbours that have changed places as one edit.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var former: [Int] = []
        var previous = Array(0...right.count)
        for (row, character) in left.enumerated() {
            var current = [row + 1]
            for column in right.indices {
                let substitution = previous[column] + (character == right[column] ? 0 : 1)
                var edits = min(substitution, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, character == right[column - 1], left[row - 1] == right[column] {
                    edits = min(edits, former[column - 1] + 1)
                }
                current.append(edits)
            }
            (former, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
