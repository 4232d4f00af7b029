/// A fault of a catalogue, found by ``Language/faults(against:under:)``.
public enum CatalogueFault: Sendable, Hashable, CustomStringConvertible {
    /// The reference has this key, and the catalogue does not.
    case missing(key: String)
    /// The reference does not have this key.
    case unknown(key: String)
    /// The text has other placeholders than the reference's.
    case placeholders(key: String, expected: Set<String>, found: Set<String>)
    /// A plural form is missing which the language's rule chooses for some counts.
    case missingForm(key: String, form: String)
    /// The language's rule never chooses this plural form.
    case unknownForm(key: String, form: String)

    /// One line with the key and its fault.
    public var description: String {
        switch self {
        case .missing(let key): "\(key) is missing"
        case .unknown(let key): "\(key) is not a key of the reference"
        case .placeholders(let key, let expected, let found):
            "\(key) has the placeholders \(found.sorted()) instead of \(expected.sorted())"
        case .missingForm(let key, let form): "\(key) has no form \"\(form)\""
        case .unknownForm(let key, let form): "\(key) has the form \"\(form)\", which the language does not use"
        }
    }
}

extension Language {
    /// The faults of the language's own catalogue, in the order of its keys. Empty if there is none.
    ///
    /// - Parameters:
    ///   - reference: a language with all keys.
    ///   - prefixes: the beginnings of the keys that count. An app that shows payments only passes `["payment.", "card."]`.
    public func faults(against reference: Language = .english, under prefixes: [String] = [""]) -> [CatalogueFault] {
        let (theirs, own) = (reference.texts, own.all)
        let keys = Set(theirs.keys).union(own.keys).filter { key in prefixes.contains { key.hasPrefix($0) } }
        return keys.sorted().flatMap { key -> [CatalogueFault] in
            guard let text = own[key] else { return [.missing(key: key)] }
            guard let expected = theirs[key]?.placeholders else { return [.unknown(key: key)] }
            let found = text.placeholders
            let wrong =
                found == expected ? [] : [CatalogueFault.placeholders(key: key, expected: expected, found: found)]
            return wrong + formFaults(of: text, key: key)
        }
    }

    private func formFaults(of text: Text, key: String) -> [CatalogueFault] {
        guard case .forms(let forms) = text else { return [] }
        let used = plural.categories.union([.other]).map(\.rawValue)
        let missing = used.filter { forms[$0] == nil }.sorted()
        let unknown = forms.keys.filter { !used.contains($0) && !isExact($0) }.sorted()
        return missing.map { .missingForm(key: key, form: $0) } + unknown.map { .unknownForm(key: key, form: $0) }
    }

    /// True if the form is for exactly one count: `=0`.
    private func isExact(_ form: String) -> Bool { form.first == "=" && Int(form.dropFirst()) != nil }
}
