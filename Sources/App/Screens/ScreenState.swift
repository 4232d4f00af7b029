import Aquifer
import Foundation
import ImageFeed

/// The context in which a screen writes its state for the page. All texts are chosen here.
@MainActor
struct ScreenContext {
    let language: Language
    let now: Date
    /// Makes an address that the browser can load by itself (``SignedAddresses``).
    var sign: @Sendable (String) -> String = { $0 }

    /// The fields of every screen of a resource: phase, loading, origin, notice and error.
    func fields<Value>(of model: ResourceModel<Value>) -> [(String, JSONText)] {
        [
            ("phase", .string(model.phase.rawValue)),
            ("isLoading", .bool(model.isLoading)),
            ("origin", origin(model.source)),
            ("notice", .string(notice(of: model))),
            ("error", error(model.error)),
        ]
    }

    func error(_ error: LoadError?) -> JSONText {
        guard let error else { return .null }
        let kind =
            switch error {
            case .connectivity: "connectivity"
            case .invalidData: "invalidData"
            case .store: "store"
            case .cancelled: "cancelled"
            }
        return .object([("kind", .string(kind)), ("message", .string(error.message(in: language)))])
    }

    private func origin(_ source: LoadSource?) -> JSONText {
        switch source {
        case nil: .null
        case .remote: .object([("source", .string("remote"))])
        case .cache(let savedAt, let because):
            .object([
                ("source", .string("cache")),
                ("savedAt", .string(savedAt.formatted(.iso8601))),
                ("age", .string(language.relative(savedAt, now: now))),
                ("because", .string(because?.rawValue)),
            ])
        }
    }

    private func notice<Value>(of model: ResourceModel<Value>) -> String? {
        model.source?.notice(in: language, now: now) ?? model.saveError?.saveMessage(in: language)
    }
}

/// A screen of one tab: a Swift model, its state as JSON, and the intents it understands.
@MainActor
protocol Screen: AnyObject {
    func state(_ context: ScreenContext) -> JSONText
    /// Loads the content again, for the intent `refresh`, which every page sends. A screen without a load does nothing.
    func refresh() async
    /// The action for an intent, which returns when it has ended; `nil` if the screen knows no such intent. It is never
    /// called for `refresh`.
    func action(for intent: Intent) -> ScreenAction?
}

extension Screen {
    /// The action for an intent, including `refresh`; `nil` if the screen knows no such intent.
    func response(to intent: Intent) -> ScreenAction? {
        guard intent.name == "refresh" else { return action(for: intent) }
        return { await self.refresh() }
    }
}

/// The action for an intent.
typealias ScreenAction = @MainActor @Sendable () async -> Void

/// An intent that a page sends to its screen: `{"intent":"search","query":"marcia"}`.
struct Intent: Sendable, Decodable {
    let name: String
    private let fields: [String: String]

    init(from decoder: any Decoder) throws {
        fields = try decoder.singleValueContainer().decode([String: String].self)
        guard let name = fields["intent"] else {
            throw DecodingError.valueNotFound(String.self, .init(codingPath: [], debugDescription: "no intent"))
        }
        self.name = name
    }

    /// True if the page itself was loaded just now. The content that a model of the same tab showed before may be
    /// outdated.
    var isPageLoad: Bool { self["load"] == "true" }

    /// A field of the intent; empty if it is missing.
    subscript(_ field: String) -> String { fields[field] ?? "" }

    /// The action on the identifier in the field `id`; `nil` if the field has none.
    func withID(_ act: @escaping @MainActor @Sendable (UUID) async -> Void) -> ScreenAction? {
        guard let id = UUID(uuidString: self["id"]) else { return nil }
        return { await act(id) }
    }
}
