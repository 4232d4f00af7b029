import Aquifer
import AquiferImageFeed
import AquiferWording
import Foundation

/// The feed as its page draws it.
@MainActor
final class FeedScreen: Screen {
    static let name = "feed"

    struct State: ScreenState {
        let title: String
        let phase: LoadPhase
        let isLoading: Bool
        @OrNull var notice: String?
        @OrNull var error: ScreenError?
        let items: [Item]
        let isEmpty: Bool
        let more: More
    }

    struct Item: Codable, Sendable {
        let id: UUID
        @OrNull var location: String?
        @OrNull var description: String?
        /// The address of the picture.
        let image: String
    }

    /// The progress of the next page of items.
    struct More: Codable, Sendable {
        enum Phase: String, Codable, Sendable, CaseIterable { case idle, loading, end, failed }
        var phase: Phase
        @OrNull var message: String?
    }

    enum Intent: String, ScreenIntent { case appear, loadMore, dismissError }

    let model: FeedModel
    private let tab: String
    private let service: FeedService

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        service = hub.services.feed
        model = FeedModel(service)
        tab = address.tab
    }

    func state(_ context: ScreenContext) -> State {
        let progress = context.progress(of: model.list)
        return State(
            title: context.language.text("nav.feed"), phase: progress.phase, isLoading: progress.isLoading,
            notice: progress.notice, error: progress.error, items: model.items.map(item), isEmpty: model.isEmpty,
            more: more(context))
    }

    func refresh() async { await model.refresh() }

    func action(for intent: Intent, _ fields: IntentFields) -> ScreenAction {
        let (model, service) = (model, service)
        return switch intent {
        case .appear:
            {
                await fields.isPageLoad ? model.refresh() : model.appear()
                await model.list.validateDelivered { () async throws(StoreError) in
                    try await service.validateFeedCache()
                }
            }
        case .loadMore: { await model.loadMore() }
        case .dismissError: { model.dismissError() }
        }
    }

    private func item(_ item: FeedItem) -> Item {
        Item(
            id: item.id, location: item.location, description: item.description,
            image: "/api/screens/feed/images/\(item.id.uuidString)?tab=\(tab)")
    }

    private func more(_ context: ScreenContext) -> More {
        switch model.more {
        case .idle: More(phase: .idle, message: nil)
        case .loading: More(phase: .loading, message: nil)
        case .end: More(phase: .end, message: nil)
        case .failed(.connectivity(let error)):
            More(
                phase: .failed,
                message: context.language.text(
                    "feed.more.offline", ["trouble": error.message(in: context.language)]))
        case .failed:
            More(
                phase: .failed,
                message: context.language.text("feed.more.none"))
        }
    }
}
