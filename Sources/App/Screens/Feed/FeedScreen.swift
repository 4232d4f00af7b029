import Aquifer
import Foundation
import ImageFeed

/// The feed as the page draws it.
@MainActor
final class FeedScreen: Screen {
    let model: FeedModel
    private let tab: String
    private let service: FeedService

    init(_ service: FeedService, tab: String) {
        model = FeedModel(service)
        self.tab = tab
        self.service = service
    }

    func state(_ context: ScreenContext) -> JSONText {
        .object(
            [("title", .string(context.language.pick("Feed", "Feed")))] + context.fields(of: model.list) + [
                ("items", .array(model.items.map(item))),
                ("isEmpty", .bool(model.isEmpty)),
                ("more", more(context)),
            ])
    }

    func refresh() async { await model.refresh() }

    func action(for intent: Intent) -> ScreenAction? {
        let (model, service) = (model, service)
        return switch intent.name {
        case "appear":
            {
                await intent.isPageLoad ? model.refresh() : model.appear()
                await model.list.validateDelivered { () async throws(StoreError) in
                    try await service.validateFeedCache()
                }
            }
        case "loadMore": { await model.loadMore() }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }

    private func item(_ item: FeedItem) -> JSONText {
        .object([
            ("id", .string(item.id.uuidString)),
            ("location", .string(item.location)),
            ("description", .string(item.description)),
            ("image", .string("/api/screens/feed/images/\(item.id.uuidString)?tab=\(tab)")),
        ])
    }

    private func more(_ context: ScreenContext) -> JSONText {
        let (phase, message): (String, String?) =
            switch model.more {
            case .idle: ("idle", nil)
            case .loading: ("loading", nil)
            case .end: ("end", nil)
            case .failed(.connectivity):
                (
                    "failed",
                    context.language.pick(
                        "More couldn’t be loaded: you’re offline.", "Não deu para carregar mais: você está sem conexão."
                    )
                )
            case .failed:
                ("failed", context.language.pick("More couldn’t be loaded.", "Não deu para carregar mais."))
            }
        return .object([("phase", .string(phase)), ("message", .string(message))])
    }
}
