import Aquifer
import Foundation
import ImageFeed

/// The feed as the page draws it.
@MainActor
final class FeedScreen: Screen {
    let model: FeedModel
    private let tab: String

    init(_ service: FeedService, tab: String) {
        model = FeedModel(service)
        self.tab = tab
    }

    func state(_ context: ScreenContext) -> JSONText {
        .object(
            [("title", .string(context.language.pick("Feed", "Feed")))] + context.fields(of: model.list) + [
                ("items", .array(model.items.map(item))),
                ("isEmpty", .bool(model.isEmpty)),
                ("more", more(context)),
            ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await model.appear() }
        case "refresh": { await model.refresh() }
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

/// The comments on a picture as the page draws them.
@MainActor
final class CommentsScreen: Screen {
    let model: ResourceModel<[ImageComment]>

    init(_ service: FeedService, image: UUID) {
        model = ResourceModel(service.comments(on: image))
    }

    func state(_ context: ScreenContext) -> JSONText {
        let comments = (model.value ?? []).map { comment in
            JSONText.object([
                ("id", .string(comment.id.uuidString)),
                ("message", .string(comment.message)),
                ("author", .string(comment.author)),
                ("date", .string(context.language.relative(comment.createdAt, now: context.now))),
                ("createdAt", .string(comment.createdAt.formatted(.iso8601))),
            ])
        }
        return .object(
            [("title", .string(context.language.pick("Comments", "Comentários")))] + context.fields(of: model) + [
                ("comments", .array(comments)),
                ("isEmpty", .bool(model.value?.isEmpty == true && !model.isLoading)),
            ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await model.appear() }
        case "refresh": { await model.refresh() }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }
}
