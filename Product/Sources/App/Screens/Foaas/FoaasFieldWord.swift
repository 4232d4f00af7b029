import Aquifer
import AquiferFoaas
import AquiferWording

/// The fields that the remote is known to have. Their names are translated.
enum FoaasFieldWord: String, CaseIterable {
    case behavior, company, `do`, from, language, name, noun, reaction, reference, something, thing, tool
}

extension FoaasOperation {
    /// The name that people read for a placeholder. A field that the remote calls by another name than its own keeps it.
    func name(of placeholder: String, in language: Language) -> String {
        let name = name(of: placeholder)
        guard let word = FoaasFieldWord(rawValue: placeholder), name.lowercased() == placeholder.lowercased() else {
            return name
        }
        return language.text("foaas.field.\(word.rawValue)")
    }

    /// The name as it stands within a sentence: "your name".
    func blank(for placeholder: String, in language: Language) -> String {
        let name = name(of: placeholder, in: language)
        return name.prefix(1).lowercased() + name.dropFirst()
    }
}

/// A piece of a sentence: words of the remote, or a place for a value, with the place's name.
struct SentencePart: Codable, Sendable {
    let text: String
    let isBlank: Bool

    /// The most characters of a sentence in a list. The remote's may be as long as a book.
    private static let most = 280

    /// The pieces as a list shows them.
    static func pieces(
        _ parts: [FoaasTemplate.Part], of operation: FoaasOperation, filters: Bool, _ language: Language
    ) -> [SentencePart] {
        var room = most
        return parts.prefix(most).compactMap { part in
            guard room > 0 else { return nil }
            switch part {
            case .blank(let placeholder):
                let name = operation.blank(for: placeholder, in: language)
                room -= name.count
                return SentencePart(text: name, isBlank: true)
            case .text(let words):
                let shown = words.count > room ? words.prefix(room) + "…" : words[...]
                room -= shown.count
                return SentencePart(
                    text: filters ? ProfanityFilter.filter(String(shown)) : String(shown), isBlank: false)
            }
        }
    }
}

extension FavoriteError {
    /// The message that the favorites could not be kept or read, or that there are too many.
    func favoriteMessage(in language: Language) -> String {
        switch self {
        case .tooMany: language.text("foaas.favorite.tooMany", ["count": "\(FavoritePhrases.most)"])
        case .store(.full): language.text("foaas.favorite.full")
        case .store: language.text("foaas.favorite.failed")
        }
    }
}
