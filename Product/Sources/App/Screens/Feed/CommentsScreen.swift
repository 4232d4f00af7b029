import Aquifer
import AquiferImageFeed
import AquiferWording
import Foundation

/// The comments on a picture as their page draws them.
@MainActor
final class CommentsScreen: Screen {
    static let name = "comments"
    static let subject: String? = "image"

    struct State: ScreenState {
        let title: String
        let phase: LoadPhase
        let isLoading: Bool
        @OrNull var notice: String?
        @OrNull var error: ScreenError?
        let comments: [Comment]
        let isEmpty: Bool
    }

    struct Comment: Codable, Sendable {
        let id: UUID
        let message: String
        let author: String
        /// The age in words.
        let date: String
        /// The date for programs, in RFC 3339.
        let createdAt: String
    }

    enum Intent: String, ScreenIntent { case appear, dismissError }

    let model: ResourceModel<[ImageComment]>

    init?(_ address: ScreenAddress, in hub: ScreenHub) {
        guard let image = UUID(uuidString: address.subject) else { return nil }
        model = ResourceModel(hub.services.feed.comments(on: image))
    }

    func state(_ context: ScreenContext) -> State {
        let progress = context.progress(of: model)
        let comments = (model.value ?? []).map { comment in
            Comment(
                id: comment.id, message: comment.message, author: comment.author,
                date: context.language.relative(comment.createdAt, now: context.now),
                createdAt: comment.createdAt.rfc3339)
        }
        return State(
            title: context.language.text("comments"), phase: progress.phase,
            isLoading: progress.isLoading, notice: progress.notice, error: progress.error, comments: comments,
            isEmpty: model.value?.isEmpty == true && !model.isLoading)
    }

    func refresh() async { await model.refresh() }

    func connectionRestored() async { await model.connectionRestored() }

    func action(for intent: Intent, _ fields: IntentFields) -> ScreenAction {
        let model = model
        return switch intent {
        case .appear: { await fields.isPageLoad ? model.refresh() : model.appear() }
        case .dismissError: { model.dismissError() }
        }
    }
}
