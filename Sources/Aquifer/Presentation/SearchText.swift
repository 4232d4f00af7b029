import Foundation

/// A text that is searched for in a list. Its case and accents do not count: "marcia" finds Márcia.
public struct SearchText: Sendable, Hashable {
    private let wanted: String

    /// The text that the user typed; space around it does not count.
    public init(_ text: String) {
        wanted = Self.folded(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    /// True if any of the texts contains it. An empty search is contained in everything.
    public func isIn(_ texts: String...) -> Bool { isIn(texts) }

    /// True if any of the texts contains it. An empty search is contained in everything.
    public func isIn(_ texts: [String]) -> Bool {
        wanted.isEmpty || texts.contains { Self.folded($0).contains(wanted) }
    }

    private static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }
}
