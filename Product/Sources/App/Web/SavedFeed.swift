import Aquifer
import AquiferConcurrency
import AquiferImageFeed
import Foundation
import HTTPServer

/// Answers with the saved feed, as JSON. The text is made once per saved copy.
final class SavedFeed: Sendable {
    private let services: Services
    private let lock = Lock()
    nonisolated(unsafe) private var last: (saved: Loaded<[FeedItem]>, body: Data)?

    init(services: Services) {
        self.services = services
    }

    func answer() async -> ServerResponse {
        do throws(StoreError) {
            // The store is asked every time, so that a copy saved by another process is seen, and an expired one never shown.
            guard let saved = try await services.feed.feed.saved() else {
                return .problem(404, "empty", "nothing fresh is saved")
            }
            if let last = lock.withLock({ last }), last.saved == saved { return .json(last.body) }
            let body = WireJSON.data(ResultDocument(saved) { $0.map(FeedItemDocument.init) })
            lock.withLock { last = (saved, body) }
            return .json(body)
        } catch {
            return .failure(of: error)
        }
    }
}
