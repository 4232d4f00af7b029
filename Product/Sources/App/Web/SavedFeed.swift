import Aquifer
import AquiferConcurrency
import AquiferImageFeed
import Foundation
import HTTPServer

/// Answers with the saved feed, as JSON. The text is made once per saved copy.
final class SavedFeed: Sendable {
    private let services: Services
    private let lock = Lock()
    nonisolated(unsafe) private var last: (list: PagedList<FeedItem>, body: Data)?

    init(services: Services) {
        self.services = services
    }

    func answer() async -> ServerResponse {
        do throws(StoreError) {
            // The store is asked every time, so that a copy saved by another process is seen, and an expired one never shown.
            guard let list = try await services.feed.pages.saved()?.value else {
                return .problem(404, "empty", "nothing fresh is saved")
            }
            if let last = lock.withLock({ last }), last.list == list {
                // The next time it is the same array, whose items need no comparison.
                lock.withLock { self.last = (list, last.body) }
                return .json(last.body)
            }
            let body = WireJSON.data(ResultDocument(NewestItems.beginning(of: list)) { $0.map(FeedItemDocument.init) })
            lock.withLock { last = (list, body) }
            return .json(body)
        } catch {
            return .failure(of: error)
        }
    }
}
