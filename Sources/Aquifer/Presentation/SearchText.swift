import Foundation

/// What is searched for in a list: found whatever its case and accents, so that "marcia" finds Márcia.
public struct SearchText: Sendable, Hashable {
    private let wanted: String

    /// What somebody typed; space around it does not count.
    public init(_ text: String) {
        wanted = Self.folded(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// Whether any of the texts contains it. Nothing typed is contained in everything.
    public func isIn(_ texts: String...) -> Bool { isIn(texts) }

    /// Whether any of the texts contains it. Nothing typed is contained in everything.
    public func isIn(_ texts: [String]) -> Bool {
        wanted.isEmpty || texts.contains { Self.folded($0).contains(wanted) }
    }

    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}
