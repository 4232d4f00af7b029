import Foundation

/// The confirmation of an action that costs money or cannot be undone.
struct Question {
    /// The consequences of the action, one line each. Without lines nothing is asked.
    var lines: [String] = []
    /// The word that the user must type exactly. It is never empty: an empty line never confirms.
    var word = "yes"
}

extension Console {
    /// Asks on the terminal. With `--yes` nothing is asked.
    ///
    /// - Throws: `.usage` without a terminal, and `.refused` when the user types anything else.
    func agree(_ question: Question, isSure: Bool, _ options: GlobalOptions) throws(CommandError) {
        guard !isSure, !question.lines.isEmpty else { return }
        guard Descriptor.input.isTerminal else {
            throw CommandError(
                status: .usage,
                message: "not done: \(question.lines.joined(separator: "; ")); say --yes if that is right (there is no"
                    + " terminal to ask on)")
        }
        for line in question.lines { note(line) }
        note("type \(question.word) to go on; anything else changes nothing")
        guard try ask("> ") == question.word, !question.word.isEmpty else {
            throw CommandError(status: .refused, message: "nothing was changed")
        }
    }
}
