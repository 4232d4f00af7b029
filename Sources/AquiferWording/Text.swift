extension Language {
    /// A text of a catalogue: one sentence, or one sentence a plural form. `{name}` in it is a placeholder.
    ///
    /// In JSON, a text is a string, and plural forms are an object: `{"one": "{count} card", "other": "{count} cards"}`. The
    /// names of the forms are those of ``PluralRule/Category``. The form `=0` (or any other number) is for exactly that
    /// count, and comes first. A form that is missing is replaced by `other`.
    public enum Text: Sendable, Hashable {
        /// One sentence.
        case plain(String)
        /// One sentence a plural form.
        case forms([String: String])

        /// The text for a count and the rule of its language; without a count, the form `other`.
        private func form(_ count: Int?, _ plural: PluralRule?) -> String {
            switch self {
            case .plain(let text): return text
            case .forms(let forms):
                let other = forms[PluralRule.Category.other.rawValue] ?? ""
                guard let count, let plural else { return other }
                return forms["=\(count)"] ?? forms[plural.category(count).rawValue] ?? other
            }
        }

        /// The text with values in place of its placeholders. A value is not searched for placeholders.
        func filled(
            with values: [String: any CustomStringConvertible], count: Int? = nil, plural: PluralRule? = nil
        ) -> String {
            let text = form(count, plural)
            var result = ""
            var rest = text[...]
            while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
                let name = rest[rest.index(after: open)..<close]
                result += rest[..<open]
                result += values[String(name)]?.description ?? "{\(name)}"
                rest = rest[rest.index(after: close)...]
            }
            return result + rest
        }

        /// The names of the placeholders in a sentence.
        static func placeholders(in sentence: String) -> Set<String> {
            var names: Set<String> = []
            var rest = sentence[...]
            while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
                names.insert(String(rest[rest.index(after: open)..<close]))
                rest = rest[rest.index(after: close)...]
            }
            return names
        }

        /// The names of all placeholders of the text.
        public var placeholders: Set<String> {
            switch self {
            case .plain(let text): Self.placeholders(in: text)
            case .forms(let forms): forms.values.reduce(into: []) { $0.formUnion(Self.placeholders(in: $1)) }
            }
        }
    }
}

extension Language.Text: ExpressibleByStringLiteral, ExpressibleByDictionaryLiteral {
    /// One sentence.
    public init(stringLiteral text: String) { self = .plain(text) }

    /// One sentence a plural form: `["one": "{count} card", "other": "{count} cards"]`.
    public init(dictionaryLiteral forms: (String, String)...) {
        self = .forms(Dictionary(forms) { $1 })
    }
}

extension Language.Text: Codable {
    /// Decodes a string or an object of strings.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A value that is no string is an object of forms; the second attempt throws if it is neither.
        if let text = try? container.decode(String.self) {
            self = .plain(text)
        } else {
            self = .forms(try container.decode([String: String].self))
        }
    }

    /// Encodes a string or an object of strings.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .plain(let text): try container.encode(text)
        case .forms(let forms): try container.encode(forms)
        }
    }
}
