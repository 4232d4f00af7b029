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
    /// - Parameter options: The options that any command knows.
    init(_ arguments: [String], knowing options: [OptionDeclaration]) throws(CommandError) {
        let known = Dictionary(options.flatMap { option in option.names.map { ($0, option) } }) { first, _ in first }
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument != "--" else {
                words += rest
                return
            }
            guard argument.hasPrefix("-"), argument != "-", !Self.isNumber(argument) else {
                words.append(argument)
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = known[name] else { throw .usage("\(name) is not an option") }
            if option.placeholder == nil {
                guard parts.count == 1 else { throw .usage("\(name) takes no value") }
                given.append(Given(typed: name, option: option, value: nil))
            } else {
                guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                    throw .usage("\(name) needs a value")
                }
                given.append(Given(typed: name, option: option, value: value))
            }
        }
    }

    /// True if the argument is a negative number, such as `-5`, `-0,50` or `-5MB`. No option begins with a digit.
    private static func isNumber(_ argument: String) -> Bool {
        argument.dropFirst().first { $0 != "." && $0 != "," }?.isNumber ?? false
    }

    /// True if the option was given.
    func has(_ option: any DeclaredOption) -> Bool { given.contains { $0.option.name == option.declaration.name } }

    /// The value of an option; the last one if it was given several times.
    func value<Value>(_ option: ValueOption<Value>) throws(CommandError) -> Value? {
        guard let text = texts(option).last else { return nil }
        return try option.value(of: text)
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
