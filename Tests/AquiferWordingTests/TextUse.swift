import AquiferWording

/// A place in the sources that has the key of a text.
struct TextUse {
    enum Kind: String { case swift, js }

    /// The key; `*` stands for a part that is not known before the program runs.
    let key: String
    /// The names of the values in the call; `nil` if they are not written there.
    let values: Set<String>?
    /// True for the argument of a call that looks a text up; false for a literal elsewhere.
    let isLookup: Bool
    let file: String

    /// The uses of texts in a source file. Each literal counts, since a key may be chosen before the call.
    static func all(in source: String, of kind: Kind, file: String) -> [TextUse] {
        var uses = literals(in: source, kind).map { TextUse(key: $0, values: nil, isLookup: false, file: file) }
        let call = kind == .swift ? /(?:language\.|[^.\w]|english\.)text\(/ : /[^.\w]t\(/
        for match in source.matches(of: call) {
            var arguments = Arguments(source[match.range.upperBound...])
            guard let first = arguments.next() else { continue }
            let rest = Array(arguments)
            // In Swift a key is a literal; a function of the same name whose argument is none is another one.
            guard kind == .js || first.drop(while: \.isWhitespace).hasPrefix("\"") else { continue }
            let values = kind == .swift ? swiftValues(rest) : scriptValues(rest)
            // A literal that a condition compares with, or passes on, is no key.
            let chosen = first.replacing(/[!=]== "[^"]*"|\w\("[^"]*"\)/, with: "")
            uses += literals(in: String(chosen), kind).map {
                TextUse(key: $0, values: values, isLookup: true, file: file)
            }
        }
        return uses
    }

    private static func swiftValues(_ arguments: [Substring]) -> Set<String> {
        let count = arguments.contains { $0.contains(/^\s*count:/) } ? ["count"] : []
        return Set(arguments.flatMap { $0.matches(of: /"(\w+)":/).map { String($0.1) } } + count)
    }

    /// An object literal's names; `nil` if the values are a variable.
    private static func scriptValues(_ arguments: [Substring]) -> Set<String>? {
        guard let object = arguments.first?.drop(while: \.isWhitespace) else { return [] }
        guard object.hasPrefix("{"), !object.contains("...") else { return nil }
        let fields = Arguments(object.dropFirst())
        return Set(Array(fields).compactMap { $0.firstMatch(of: /^\s*(\w+)/).map { String($0.1) } })
    }

    /// The string literals of a source text, with `*` for each interpolation. Only keys are of interest: a text with a
    /// space is none.
    private static func literals(in source: String, _ kind: Kind) -> [String] {
        let plain = source.matches(of: /"((?:[\w.-]|\\\([^()"]*(?:\([^()"]*\))?\))+)"/).map { String($0.1) }
        guard kind == .js else { return plain.map { $0.replacing(/\\\(.*?\)+/, with: "*") } }
        let templates = source.matches(of: /`((?:[\w.-]|\$\{[^{}`]*\})+)`/).map { String($0.1) }
        return plain + templates.map { $0.replacing(/\$\{.*?\}/, with: "*") }
    }

    /// True if the key may be this one. `*` is one part of a key; at the beginning of a pattern it is any number of parts.
    private func isOf(_ key: String) -> Bool {
        guard self.key.contains("*") else { return self.key == key }
        // A pattern such as `*.name` says nothing about a key unless it is looked up.
        guard isLookup, self.key != "*" else { return false }
        let wanted = self.key.split(separator: ".")
        var parts = key.split(separator: ".")
        if wanted.first == "*", parts.count > wanted.count { parts.removeFirst(parts.count - wanted.count) }
        return wanted.count == parts.count && zip(wanted, parts).allSatisfy { $0 == "*" || $0 == $1 }
    }

    /// A line for each key that is in no catalogue, and for each lookup whose values are not the placeholders.
    static func wrong(_ uses: [TextUse], in texts: [String: Language.Text]) -> [String] {
        uses.filter(\.isLookup).flatMap { use -> [String] in
            let found = texts.keys.filter(use.isOf).sorted()
            if found.isEmpty { return ["\(use.file): \(use.key) is in no catalogue"] }
            // The values of a pattern are those of several keys.
            guard let values = use.values, !use.key.contains("*") else { return [] }
            return found.compactMap { key in
                guard let wanted = texts[key]?.placeholders, !wanted.isSubset(of: values) else { return nil }
                return "\(use.file): \(key) needs \(wanted.sorted()) and gets \(values.sorted())"
            }
        }
    }

    /// The keys that nobody uses. A key of one word is used by a lookup only: such words are too common.
    static func unused(_ uses: [TextUse], of texts: [String: Language.Text]) -> [String] {
        texts.keys.filter { key in !uses.contains { ($0.isLookup || key.contains(".")) && $0.isOf(key) } }.sorted()
    }
}

/// The arguments of a call, read from the first character after its opening bracket.
private struct Arguments: Sequence, IteratorProtocol {
    private var rest: Substring?

    init(_ rest: Substring) { self.rest = rest }

    mutating func next() -> Substring? {
        guard let text = rest else { return nil }
        var (depth, quote, escaped) = (0, Character?.none, false)
        for index in text.indices {
            let sign = text[index]
            if let open = quote {
                if !escaped, sign == open { quote = nil }
                escaped = !escaped && sign == "\\"
                continue
            }
            switch sign {
            case "\"", "`": quote = sign
            case "(", "[", "{": depth += 1
            case ")", "]", "}":
                if depth == 0 {
                    rest = nil
                    return text[..<index]
                }
                depth -= 1
            case "," where depth == 0:
                rest = text[text.index(after: index)...]
                return text[..<index]
            default: break
            }
        }
        rest = nil
        return text
    }
}
