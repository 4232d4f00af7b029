import AquiferFoundation

/// The phrase of an operation, with places for its values. The remote is asked for it once; values are then filled in
/// here.
public struct FoaasTemplate: Sendable, Hashable {
    /// The remote's answer to ``question(_:)``.
    let answer: Foaas
    private let markers: [String: String]

    /// The path that asks for the template. Its values are marks that no phrase contains.
    static func question(_ operation: FoaasOperation) -> FoaasPathBuilder {
        var builder = FoaasPathBuilder(operation)
        for (index, placeholder) in builder.placeholders.enumerated() {
            // The names come from the builder, which therefore knows them.
            try? builder.set(marker(index), for: placeholder)
        }
        return builder
    }

    /// The template in the answer to ``question(_:)``.
    init(_ answer: Foaas, of operation: FoaasOperation) {
        self.answer = answer
        markers = Dictionary(
            uniqueKeysWithValues: operation.placeholders.enumerated().map { (Self.marker($0), $1) })
    }

    /// The phrase with these values. A placeholder for which `value` returns `nil` stands as its name in brackets:
    /// `[name]`.
    public func phrase(_ value: (_ placeholder: String) -> String?, name: (_ placeholder: String) -> String) -> Foaas {
        // In one pass: a value that looks like a mark is a value.
        func fill(_ text: String) -> String {
            text.replacing(Self.mark) { match in
                guard let placeholder = markers[String(match.output)] else { return String(match.output) }
                return value(placeholder) ?? "[\(name(placeholder))]"
            }
        }
        return Foaas(message: fill(answer.message), subtitle: fill(answer.subtitle))
    }

    /// A piece of a phrase: words of the remote, or a place for a value.
    public enum Part: Sendable, Hashable {
        /// Words, as the remote has sent them.
        case text(String)
        /// The place for the value of this placeholder.
        case blank(String)
    }

    /// The message and the subtitle in pieces, in their order; neither has empty texts.
    public var parts: (message: [Part], subtitle: [Part]) { (parts(of: answer.message), parts(of: answer.subtitle)) }

    private func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        for match in text.matches(of: Self.mark) {
            guard let placeholder = markers[String(match.output)] else { continue }
            let words = text[rest.startIndex..<match.range.lowerBound]
            if !words.isEmpty { parts.append(.text(String(words))) }
            parts.append(.blank(placeholder))
            rest = text[match.range.upperBound...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        return parts
    }

    // A literal is never changed. A mark ends where its letters end, also before a combining mark in the answer.
    nonisolated(unsafe) private static let mark = /zqx[0-9]+xqz/.matchingSemantics(.unicodeScalar)

    private static func marker(_ index: Int) -> String { "zqx\(index)xqz" }
}
