/// An option of the command line, as parsing, help, completion and the man page know it.
///
/// An option is declared once, in ``Options``.
struct OptionDeclaration: Sendable, Hashable {
    /// The names of the option, the usual one first: `--output`, `-o`.
    let names: [String]
    /// The name of the value in help texts; `nil` if the option takes no value.
    let placeholder: String?
    /// True if the option can be given several times, each with another value.
    var isRepeatable = false
    /// One or two sentences in lower case, without a full stop.
    let help: String
    /// The words that a shell offers for the value.
    let words: WordKind

    /// The usual name.
    var name: String { names[0] }

    /// The option and its value, as help texts write it: `--limit N`.
    var usage: String { placeholder.map { "\(name) \($0)" } ?? name }
}

/// The words that a shell offers in one place of a command line.
enum WordKind: Sendable, Hashable {
    /// Any text. The shell offers nothing.
    case text
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder
    /// One of these words.
    case choices([String])
}

/// An option with a declaration: a ``Flag`` or a ``ValueOption``.
protocol DeclaredOption: Sendable {
    var declaration: OptionDeclaration { get }
}

/// An option without a value.
struct Flag: DeclaredOption {
    let declaration: OptionDeclaration

    init(_ names: String..., help: String) {
        declaration = OptionDeclaration(names: names, placeholder: nil, help: help, words: .text)
    }
}

/// An option with a value of one type.
struct ValueOption<Value: Sendable>: DeclaredOption {
    let declaration: OptionDeclaration
    private let type: ValueType<Value>

    init(
        _ names: String..., takes placeholder: String, _ type: ValueType<Value>, isRepeatable: Bool = false,
        help: String
    ) {
        self.type = type
        declaration = OptionDeclaration(
            names: names, placeholder: placeholder, isRepeatable: isRepeatable, help: help, words: type.words)
    }

    /// The value of a text.
    ///
    /// - Throws: `.usage`, with the option's name and the expected form.
    func value(of text: String) throws(CommandError) -> Value {
        do throws(ValueMistake) { return try type.read(text) } catch {
            switch error {
            case .expected(let form): throw .usage("\(declaration.name) takes \(form), not \"\(text)\"")
            case .expectedPart(let form, let part): throw .usage("\(declaration.name) takes \(form), not \"\(part)\"")
            case .missing(let form): throw .usage("\(declaration.name) needs \(form)")
            case .wrong(let reason): throw CommandError(status: .usage, message: "\(declaration.name): \(reason)")
            }
        }
    }
}
