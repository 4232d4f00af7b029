import Aquifer
import Foundation
import ImageFeed

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

    func refresh() async { await model.refresh() }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear": { await intent.isPageLoad ? model.refresh() : model.appear() }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }
}
