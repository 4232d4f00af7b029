import AquiferFoundation

/// A language that an app speaks: its tag, its texts and its plural rule.
///
/// The texts are a catalogue: a dictionary from dotted keys to texts. `Languages/en.swift` and `Languages/pt-BR.swift` are
/// built in. An app adds any other language, or other words for some keys, without a change in this library:
///
/// ```swift
/// let german = try Language(tag: "de", plural: .oneOther, json: Data(contentsOf: file))
/// print(error.message(in: german))
/// ```
///
/// A key that the app's catalogue does not have is looked up in the fallback, so that a key that is new in a later version
/// has words at once. ``faults(against:under:)`` names such keys: call it in a test of the app.
public struct Language: Sendable {
    /// The BCP 47 tag, for example `pt-BR`. Dates and numbers are written in the format of the locale of that name.
    public let tag: String
    /// The rule that chooses the form of a text that counts something.
    public let plural: PluralRule
    /// The texts of the language itself.
    let own: Catalogue
    /// The texts that stand in for missing ones, those of the nearest language first.
    private let fallbacks: [Catalogue]

    /// A language with an app's own texts.
    ///
    /// - Parameters:
    ///   - tag: the BCP 47 tag, for example `de` or `zh-Hant`.
    ///   - plural: the rule that chooses a plural form.
    ///   - fallback: the language whose texts stand in for missing ones. With `nil`, the key itself is shown.
    ///   - texts: the texts by key.
    public init(
        tag: String, plural: PluralRule = .oneOther, fallback: Language? = .english, texts: [String: Text]
    ) {
        self.init(tag, plural, fallback, .texts(texts))
    }

    init(_ tag: String, _ plural: PluralRule, _ fallback: Language?, _ own: Catalogue) {
        self.tag = tag
        self.plural = plural
        self.own = own
        fallbacks = fallback.map { [$0.own] + $0.fallbacks } ?? []
    }

    /// A language with the texts of a JSON document, which is an object like the one in `Languages/en.swift`.
    ///
    /// - Throws: ``CatalogueError`` if the document is not an object of texts.
    public init(
        tag: String, plural: PluralRule = .oneOther, fallback: Language? = .english, json: Data
    ) throws(CatalogueError) {
        let texts: [String: Text]
        do { texts = try JSONDecoder().decode([String: Text].self, from: json) } catch {
            throw CatalogueError.notACatalogue(reason: "\(error)")
        }
        self.init(tag: tag, plural: plural, fallback: fallback, texts: texts)
    }

    /// All texts by key, including those of the fallback.
    public var texts: [String: Text] { fallbackTexts.merging(own.all) { $1 } }

    private var fallbackTexts: [String: Text] { fallbacks.reduce([:]) { $0.merging($1.all) { nearer, _ in nearer } } }

    /// All texts as a JSON document, in the order of their keys: what another program, such as a web page, reads them from.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(texts)
    }

    /// The text of a key. A key without a text is returned itself.
    ///
    /// - Parameters:
    ///   - key: the key of the text.
    ///   - values: the values of the placeholders, by name. A placeholder without a value stays as it is written.
    public func text(_ key: String, _ values: [String: any CustomStringConvertible] = [:]) -> String {
        found(key)?.filled(with: values) ?? key
    }

    /// The text of a key that counts something, in the plural form of the count. `{count}` stands for the count in it.
    ///
    /// - Parameters:
    ///   - key: the key of the text.
    ///   - count: the count.
    ///   - values: the values of the other placeholders, by name.
    public func text(
        _ key: String, count: Int, _ values: [String: any CustomStringConvertible] = [:]
    ) -> String {
        let values = values.merging(["count": count]) { $1 }
        return found(key)?.filled(with: values, count: count, plural: plural) ?? key
    }

    private func found(_ key: String) -> Text? {
        if let text = own[key] { return text }
        for catalogue in fallbacks { if let text = catalogue[key] { return text } }
        return nil
    }
}

/// Two languages are equal if their tags and their texts are.
extension Language: Hashable {
    /// True if both tags and all texts are equal.
    public static func == (one: Language, other: Language) -> Bool {
        one.tag == other.tag && one.own == other.own
            && (one.fallbacks == other.fallbacks || one.fallbackTexts == other.fallbackTexts)
    }

    /// Hashes the tag.
    public func hash(into hasher: inout Hasher) { hasher.combine(tag) }
}

extension Language: CustomStringConvertible {
    /// The tag.
    public var description: String { tag }
}

/// The reason why a document has no texts.
public enum CatalogueError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The document is not a JSON object whose values are texts or plural forms.
    case notACatalogue(reason: String)

    /// One line for developers.
    public var description: String {
        switch self {
        case .notACatalogue(let reason): "the catalogue is not a JSON object of texts: \(reason)"
        }
    }
}
