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
}
