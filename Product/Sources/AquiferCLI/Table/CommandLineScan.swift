/// The words of a command line, divided into options and other words. Every text can be divided: a mistake is a part of its
/// own. ``Arguments`` reports the first one, and errors are printed in the form that the other parts ask for.
struct CommandLineScan: Sendable {
    /// A part of the command line.
    enum Part: Sendable {
        /// A word that is not an option.
        case word(String)
        /// An option as it was typed, with its value if it takes one.
        case option(OptionDeclaration, typed: String, value: String?)
        /// An option that does not exist, or was given in a wrong way.
        case mistake(String, OptionDeclaration?)
    }

    /// The parts in their order.
    private(set) var parts: [Part] = []

    /// Divides the words.
    ///
    /// - Parameter option: finds an option by one of its names; by default, any option of any command.
    init(_ arguments: [String], knowing option: ((_ name: String) -> OptionDeclaration?)? = nil) {
        let known = option ?? CommandTable.option(in: arguments)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument != "--" else {
                parts += rest.map(Part.word)
                return
            }
            guard argument.hasPrefix("-"), argument != "-", !Self.isNumber(argument) else {
                parts.append(.word(argument))
                continue
            }
            let halves = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let (name, value) = (String(halves[0]), halves.count == 2 ? String(halves[1]) : nil)
            guard let option = known(name) else {
                parts.append(.mistake("\(name) is not an option", nil))
                continue
            }
            if option.placeholder == nil {
                let isRight = value == nil
                parts.append(
                    isRight
                        ? .option(option, typed: name, value: nil) : .mistake("\(name) takes no value", option))
            } else if let value = value ?? rest.popFirst() {
                parts.append(.option(option, typed: name, value: value))
            } else {
                parts.append(.mistake("\(name) needs a value", option))
            }
        }
    }

    /// The words that are not options.
    var words: [String] { parts.compactMap { if case .word(let word) = $0 { word } else { nil } } }

    /// The command line's errors are printed as documents: it has `--json`, and standard output is not the file of `-o`.
    ///
    /// The last `-o` counts. One that does not go with the command names no file.
    var printsDocuments: Bool {
        var hasJSON = false
        var output: String?
        for part in parts {
            switch part {
            case .option(Options.json.declaration, _, _), .mistake(_, Options.json.declaration?): hasJSON = true
            case .option(Options.output.declaration, _, let value): output = value
            default: break
            }
        }
        guard hasJSON else { return false }
        // Words that name no command have an error of their own.
        guard output == "-", let command = try? CommandTable.command(words) else { return true }
        return !command.own.contains(Options.output.declaration)
    }

    /// True if the argument is a negative number, such as `-5`, `-0,50` or `-5MB`. No option begins with a digit.
    private static func isNumber(_ argument: String) -> Bool {
        argument.dropFirst().first { $0 != "." && $0 != "," }?.isNumber ?? false
    }
}
