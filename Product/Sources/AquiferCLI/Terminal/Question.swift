import Foundation

/// The confirmation of an action that costs money or cannot be undone.
struct Question {
    /// The action, as the subject of a sentence: "adding 1 MB to photos".
    let action: String
    /// The consequences of the action, one line each.
    var lines: [String]
    /// The word that the user must type exactly. It is never empty: an empty line never confirms.
    var word = "yes"
}

extension Console {
    /// Asks on the terminal. With `--yes` nothing is asked.
    ///
    /// - Throws: `.usage` without a terminal, and `.refused` when the user types anything else.
    func agree(_ question: Question, isSure: Bool, _ options: GlobalOptions) throws(CommandError) {
        guard !isSure else { return }
        guard Descriptor.input.isTerminal else {
            throw CommandError(
                status: .usage,
                message: "\(question.action) needs --yes, because there is no terminal to ask on; "
                    + question.lines.joined(separator: "; "))
        }
        note(question.action)
        for line in question.lines { note(line) }
        note("type \(question.word) to go on; anything else changes nothing")
        guard try ask("> ") == question.word, !question.word.isEmpty else {
            throw CommandError(status: .refused, message: "nothing was changed")
        }
    }
}
