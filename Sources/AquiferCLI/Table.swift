/// Columns, as wide as they need to be.
enum Table {
    static func lines(_ head: [String], _ rows: [[String]]) -> [String] {
        let all = [head] + rows
        let widths = head.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            row.indices.map { column in
                column == row.count - 1
                    ? row[column] : row[column] + String(repeating: " ", count: widths[column] - row[column].count)
            }.joined(separator: "  ")
        }
    }
}

extension Console {
    /// A list for people: its rows under their heads, or, unless told to be quiet, words for there being none.
    func table(_ head: [String], _ rows: [[String]], _ options: GlobalOptions, ifEmpty words: String) {
        if !rows.isEmpty {
            for line in Table.lines(head, rows) { out(line) }
        } else if !options.quiet {
            note(words)
        }
    }
}
