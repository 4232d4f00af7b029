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
        /// The addresses of the forms of the picture whose widths are known, as `srcset` of HTML has them.
        @OrNull var srcset: String?
        @OrNull var author: String?
        /// The age of the post in words.
        @OrNull var date: String?
        /// The date of the post for programs, in RFC 3339.
        @OrNull var createdAt: String?
        @OrNull var commentCount: Int?
        @OrNull var size: Size?
        /// The gap before this item.
        @OrNull var gap: Gap?
        /// The age from here on, if it is another than that of the items before.
        @OrNull var age: String?
    }

    /// The size of a picture in pixels.
    struct Size: Codable, Sendable {
        let width: Int
        let height: Int
    }

    /// A place where pictures may be missing.
    struct Gap: Codable, Sendable {
        let id: String
        let more: More
    }

    /// The progress of the next page of items.
    struct More: Codable, Sendable {
        enum Phase: String, Codable, Sendable, CaseIterable { case idle, loading, end, failed }
        var phase: Phase
        @OrNull var message: String?
    }

    enum Intent: String, ScreenIntent {
        case appear, loadMore, fill, dismissError

        var fields: [String] {
            switch self {
            case .fill: ["gap"]
            default: []
            }
        }
    }

    let model: FeedModel
    private let tab: String
    private let service: FeedService

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        service = hub.services.feed
        model = FeedModel(service)
        tab = address.tab
    }

    func state(_ context: ScreenContext) -> State { drawing(context)() }

    func drawing(_ context: ScreenContext) -> @Sendable () -> State {
        let progress = context.progress(of: model.list)
        let (isEmpty, more) = (model.isEmpty, Self.more(model.more, context))
        let drawing = Drawing(
            pages: model.pages, gaps: model.pages.map { $0.gap.map { gap(of: $0, context) } },
            isFromRemote: model.list.source == .remote, tab: tab, context: context)
        return {
            State(
                title: context.language.text("nav.feed"), phase: progress.phase, isLoading: progress.isLoading,
                notice: progress.notice, error: progress.error, items: drawing.items(), isEmpty: isEmpty, more: more)
        }
    }

    func refresh() async { await model.refresh() }

    func connectionRestored() async { await model.list.connectionRestored() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let (model, service) = (model, service)
        switch intent {
        case .appear:
            return {
                await fields.isPageLoad ? model.refresh() : model.appear()
                await model.list.validateDelivered { () async throws(StoreError) in
                    try await service.validateFeedCache()
                }
            }
        case .loadMore: return { await model.loadMore() }
        case .fill:
            let id = try fields.text("gap")
            return {
                // A gap that has closed meanwhile needs nothing.
                guard let gap = model.list.value?.gaps.first(where: { $0.id == id }) else { return }
                await model.fill(gap)
            }
        case .dismissError: return { model.dismissError() }
        }
    }

    private func gap(of gap: PageGap, _ context: ScreenContext) -> Gap {
        Gap(id: gap.id, more: Self.more(model.state(of: gap), context))
    }

    private static func more(_ more: FeedModel.More, _ context: ScreenContext) -> More {
        switch more {
        case .idle: More(phase: .idle, message: nil)
        case .loading: More(phase: .loading, message: nil)
        case .end: More(phase: .end, message: nil)
        case .failed(let error): More(phase: .failed, message: error.moreMessage(in: context.language))
        }
    }
}

extension FeedScreen {
    /// All that the items of a state are made of.
    private struct Drawing: Sendable {
        let pages: [PagedList<FeedItem>.Page]
        /// The gap behind each page.
        let gaps: [Gap?]
        let isFromRemote: Bool
        let tab: String
        let context: ScreenContext

        /// The items of all pages, with the gaps between them.
        func items() -> [Item] {
            var items: [Item] = []
            var gap: Gap?
            var savedAt = pages.first?.savedAt
            for (page, next) in zip(pages, gaps) {
                gap = next ?? gap
                var age: String?
                if isFromRemote, let saved = page.savedAt, let other = savedAt, other.timeIntervalSince(saved) > 3600 {
                    age = context.language.text(
                        "feed.older", ["age": context.language.relative(saved, now: context.now)])
                    savedAt = saved
                }
                for item in page.items {
                    items.append(self.item(item, gap, age))
                    (gap, age) = (nil, nil)
                }
            }
            return items
        }

        private func item(_ item: FeedItem, _ gap: Gap?, _ age: String?) -> Item {
            let image = "/api/screens/feed/images/\(item.id.uuidString)?tab=\(tab)"
            return Item(
                id: item.id, location: item.location, description: item.description, image: image,
                srcset: srcset(item, image), author: item.author,
                date: item.createdAt.map { context.language.relative($0, now: context.now) },
                createdAt: item.createdAt?.rfc3339, commentCount: item.commentCount,
                size: item.size.map { Size(width: $0.width, height: $0.height) }, gap: gap, age: age)
        }

        /// The whole picture stands in it only with its width. Pages have its address in `image`, for places that no form is wide enough
        /// for.
        private func srcset(_ item: FeedItem, _ image: String) -> String? {
            guard !item.variants.isEmpty else { return nil }
            let whole = item.size.map { ["\(image) \($0.width)w"] } ?? []
            return (item.variants.map { "\(image)&width=\($0.width) \($0.width)w" } + whole).joined(separator: ", ")
        }
    }
}
