@_exported import AquiferWording

// The screens choose their texts inline until they read the catalogue.
extension Language {
    /// The built-in language that suits a tag best.
    init(tag: String) { self = .best(for: tag) }

    /// One of two texts.
    func pick(_ english: String, _ portuguese: String) -> String {
        tag == Language.english.tag ? english : portuguese
    }
}
