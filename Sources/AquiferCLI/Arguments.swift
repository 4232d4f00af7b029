/// The parsed words of a command line. Options may stand anywhere, as `--name value` or `--name=value`. `--` ends them.
/// A negative number is a word.
struct Arguments {

    private(set) var words: [String] = []
    private var flags: Set<String> = []
    private var values: [String: [String]] = [:]

    /// Parses arguments.
    ///
    /// - Parameter valued: The options that take a value.
    /// - Parameter flags: The options that take no value. Short options have one dash.
    init(_ arguments: [String], valued: Set<String>, flags known: Set<String>) throws(CommandError) {
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
            if valued.contains(name) {
                guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
                    throw .usage("\(name) needs a value")
                }
                values[name, default: []].append(value)
            } else if known.contains(name) {
                guard parts.count == 1 else { throw .usage("\(name) takes no value") }
                flags.insert(name)
            } else {
                throw .usage("\(name) is not an option")
            }
        }
    }

    /// True if the argument is a negative number, such as `-5`, `-0,50` or `-5MB`. No option begins with a digit.
    private static func isNumber(_ argument: String) -> Bool {
        argument.dropFirst().first { $0 != "." && $0 != "," }?.isNumber ?? false
    }

    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// The value of an option; the last one if it was given several times.
    func value(_ name: String) -> String? { values[name]?.last }

    /// All values of an option that may be given several times.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The options that were given.
    var given: Set<String> { flags.union(values.keys) }

    /// Removes the first word and returns it.
    mutating func next() -> String? { words.isEmpty ? nil : words.removeFirst() }

    /// Removes the next word and returns it. A missing word is an error.
    mutating func next(_ what: String) throws(CommandError) -> String {
        guard let word = next() else { throw .usage("\(what) is missing") }
        return word
    }

    /// The destination of a file: `-o FILE`, or `-` for standard output. A missing option is an error.
    func output(for what: String) throws(CommandError) -> String {
        guard let output = value("-o") ?? value("--output"), !output.isEmpty else {
            throw .usage("say where the \(what) goes: -o FILE, or -o - for standard output")
        }
        return output
    }

    /// Fails when words are left over.
    func end() throws(CommandError) {
        if let word = words.first { throw .usage("\"\(word)\" is one word too many") }
    }
}
