import AquiferFoundation

extension Language {
    /// English.
    public static let english = Language(
        builtIn: "en", plural: .oneOther, fallback: nil, texts: englishTexts)
    /// Brazilian Portuguese.
    public static let brazilianPortuguese = Language(
        builtIn: "pt-BR", plural: .zeroOneOther, fallback: .english, texts: brazilianPortugueseTexts)

    /// The languages of this library, in order of preference.
    public static var builtIn: [Language] { [.english, .brazilianPortuguese] }

    /// The language that suits a BCP 47 tag best: the one of that tag, else one of the same primary language, else the
    /// first one.
    ///
    /// - Parameters:
    ///   - tag: the tag that the user's system gives.
    ///   - languages: the languages of the app, in order of preference.
    public static func best(for tag: String, of languages: [Language] = builtIn) -> Language {
        let wanted = tag.lowercased()
        return languages.first { $0.tag.lowercased() == wanted }
            ?? languages.first { primary($0.tag) == primary(wanted) }
            ?? languages.first ?? .english
    }

    private static func primary(_ tag: String) -> String {
        tag.lowercased().split(separator: "-").first.map(String.init) ?? ""
    }

    /// A language whose catalogue is embedded in the program.
    private init(builtIn tag: String, plural: PluralRule, fallback: Language?, texts: StaticString) {
        self.init(tag, plural, fallback, .document(CatalogueDocument(texts.withUTF8Buffer { [UInt8]($0) })))
    }
}
