import Aquifer
import Foundation
import ImageFeed

/// The state of a screen, as the page draws it. All words are decided here.
@MainActor
struct ScreenContext {
    let language: Language
    let now: Date

    /// What every screen of a resource has: phase, origin, notice, error.
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
    /// Carries an intent out, and returns when it has ended; `nil` when the screen knows no such intent.
    func action(for intent: Intent) -> ScreenAction?
}

/// What an intent does.
typealias ScreenAction = @MainActor @Sendable () async -> Void

/// What a page asks of its screen: `{"intent":"search","query":"marcia"}`.
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

    /// A field that goes with the intent; empty when it is not there.
    subscript(_ field: String) -> String { fields[field] ?? "" }

    /// What to do with the thing that the field `id` names; nothing if it names none.
    func withID(_ act: @escaping @MainActor @Sendable (UUID) async -> Void) -> ScreenAction? {
        guard let id = UUID(uuidString: self["id"]) else { return nil }
        return { await act(id) }
    }
}
