import AquiferConcurrency
import AquiferFoundation

/// The texts of a language by their keys.
enum Catalogue: Sendable {
    case texts([String: Language.Text])
    /// A document of this library, whose lines are read when somebody asks for their keys.
    case document(CatalogueDocument)

    /// The text of a key; `nil` if there is none.
    subscript(_ key: String) -> Language.Text? {
        switch self {
        case .texts(let texts): texts[key]
        case .document(let document): document.text(key)
        }
    }

    /// All texts by key.
    var all: [String: Language.Text] {
        switch self {
        case .texts(let texts): texts
        case .document(let document): document.all
        }
    }
}

extension Catalogue: Equatable {
    static func == (one: Catalogue, other: Catalogue) -> Bool {
        if case (.document(let one), .document(let other)) = (one, other), one === other { return true }
        return one.all == other.all
    }
}

/// A catalogue that is embedded in the program.
///
/// It has 900 texts, and a command says about five of them. To find five lines takes less time than to read all of them. A program that
/// asks for more than a few gets all of them at once.
final class CatalogueDocument: Sendable {
    private struct Known {
        var found: [String: Language.Text] = [:]
        var all: [String: Language.Text]?
    }

    /// The number of texts that are looked for in the document.
    private static let few = 12

    private let bytes: [UInt8]
    private let known = Locked(Known())

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The text of a key; `nil` if there is none.
    func text(_ key: String) -> Language.Text? {
        known.withLock { known in
            if let all = known.all { return all[key] }
            if let text = known.found[key] { return text }
            if known.found.count < Self.few, let text = CatalogueLines.text(of: key, in: bytes) {
                known.found[key] = text
                return text
            }
            return read(&known)[key]
        }
    }

    /// All texts by key.
    var all: [String: Language.Text] { known.withLock { read(&$0) } }

    private func read(_ known: inout Known) -> [String: Language.Text] {
        if let all = known.all { return all }
        // The file is part of the sources, and a test reads it: it cannot be damaged when the program runs.
        let all =
            CatalogueLines.texts(bytes) ?? (try? JSONDecoder().decode([String: Language.Text].self, from: Data(bytes)))
        known = Known(all: all ?? [:])
        return all ?? [:]
    }
}
