import Aquifer
import AquiferConcurrency
import AquiferImageFeed
import Foundation
import HTTPServer

/// Answers with the saved feed, as JSON. The text is made once per saved copy.
final class SavedFeed: Sendable {
    private let services: Services
    private let lock = Lock()
    nonisolated(unsafe) private var last: (entry: StoredEntry, body: Data)?

    init(services: Services) {
        self.services = services
    }

    func answer() async -> ServerResponse {
        do throws(StoreError) {
            // The store is asked every time, so that a copy saved by another process is seen, and an expired one never shown.
            guard let entry = try await services.feed.feed.savedEntry() else {
                return .problem(404, "empty", "nothing fresh is saved")
            }
            if let last = lock.withLock({ last }), last.entry == entry { return .json(last.body) }
            guard let saved = try await services.feed.feed.saved() else {
                return .problem(404, "empty", "nothing fresh is saved")
            }
            let body = WireJSON.data(ResultDocument(saved) { $0.map(FeedItemDocument.init) })
            lock.withLock { last = (entry, body) }
            return .json(body)
        } catch {
            return .problem(500, "store", "\(error)")
        }
    }
}
