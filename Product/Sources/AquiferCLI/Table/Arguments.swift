/// The parsed words of a command line. Options may stand anywhere, as `--name value` or `--name=value`. `--` ends them.
/// A negative number is a word.
struct Arguments: Sendable {
    /// An option as it was given.
    private struct Given: Sendable {
        /// The name as it was typed.
        let typed: String
        let option: OptionDeclaration
        /// The value; `nil` if the option takes none.
        let value: String?
    }

    /// The words that are not options.
    private(set) var words: [String] = []
    private var given: [Given] = []

    /// Parses arguments.
    ///
    /// - Parameter option: finds an option by one of its names; by default, any option of any command.
    init(
        _ arguments: [String], knowing option: ((_ name: String) -> OptionDeclaration?)? = nil
    ) throws(CommandError) {
        for part in CommandLineScan(arguments, knowing: option).parts {
            switch part {
            case .word(let word): words.append(word)
            case .option(let option, let typed, let value):
                given.append(Given(typed: typed, option: option, value: value))
            case .mistake(let message, _): throw .usage(message)
            }
        }
    }

    /// True if the option was given.
    func has(_ option: any DeclaredOption) -> Bool { given.contains { $0.option.name == option.declaration.name } }

    /// The value of an option; the last one if it was given several times.
    func value<Value>(_ option: ValueOption<Value>) throws(CommandError) -> Value? {
        // Each of them is read, so that a mistake in an earlier one is not passed over.
        try all(option).last
    }

    /// All values of an option that may be given several times.
    func all<Value>(_ option: ValueOption<Value>) throws(CommandError) -> [Value] {
        var values: [Value] = []
        for text in texts(option) { values.append(try option.value(of: text)) }
        return values
    }

    private func texts(_ option: any DeclaredOption) -> [String] {
        given.filter { $0.option.name == option.declaration.name }.compactMap(\.value)
    }

    /// The arguments of a command: the words after its name, whose number is right, and options that go with it.
    ///
    /// - Throws: `.usage`.
    func arguments(of command: Command) throws(CommandError) -> Arguments {
        let known = Set(command.known.map(\.name))
        if let stranger = given.filter({ !known.contains($0.option.name) }).map(\.typed).min() {
            throw .usage("\(stranger) does not go with \"\(command.name)\"")
        }
        var own = self
        own.words.removeFirst(command.words.count)
        for (index, argument) in command.arguments.enumerated() where !argument.isOptional {
            guard own.words.count > index else { throw .usage("\(argument.meaning) is missing") }
        }
        // An empty path would be the current folder.
        for (index, word) in own.words.enumerated() where word.isEmpty {
            guard let argument = command.argument(at: index), argument.words == .file || argument.words == .folder
            else { continue }
            throw .usage("\(argument.meaning) is missing")
        }
        if command.arguments.last?.isRepeated != true, own.words.count > command.arguments.count {
            throw .usage("\"\(own.words[command.arguments.count])\" is one word too many")
        }
        let chosen = command.exclusive.filter(has)
        guard chosen.count < 2 else {
            throw .usage("\(chosen.map(\.declaration.name).joined(separator: " and ")) exclude each other")
        }
        return own
    }

    /// The destination of a file: `-o FILE`, or `-` for standard output. A missing option is an error.
    func output(for what: String) throws(CommandError) -> String {
        guard let output = try value(Options.output), !output.isEmpty else {
            throw .usage("say where the \(what) goes: -o FILE, or -o - for standard output")
        }
        return output
    }
}
