import Aquifer

/// A table with columns as wide as their content.
enum TextTable {
    /// The lines of a table: heads, then rows. Each cell is harmless text on one line.
    static func lines(_ head: [String], _ rows: [[String]]) -> [String] {
        let all = ([head] + rows).map { $0.map(\.harmless) }
        let widths = head.indices.map { column in all.map { $0[column].columns }.max() ?? 0 }
        return all.map { row in
            row.indices.map { column in
                column == row.count - 1 ? row[column] : row[column].padded(to: widths[column])
            }.joined(separator: "  ")
        }
    }
}

extension String {
    /// The text, padded with spaces to this number of columns of a terminal.
    func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - columns))
    }
}

extension Console {
    /// A list for people: its rows under their heads, or, unless told to be quiet, words for there being none.
    func table(_ head: [String], _ rows: [[String]], _ options: GlobalOptions, ifEmpty words: String) {
        if !rows.isEmpty {
            out(lines: TextTable.lines(head, rows))
        } else if !options.quiet {
            note(words)
        }
    }
}
