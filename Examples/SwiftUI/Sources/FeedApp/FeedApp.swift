import Aquifer
import AquiferImageFeed
import AquiferSQLite
import AquiferURLSession
import Foundation
import SwiftUI

/// The image feed as an app: it picks the server, the client and the stores here, and nowhere else.
@main
struct FeedApp: App {
    private let service: Result<FeedService, StoreError>

    init() {
        service = Result { () throws(StoreError) in try Self.service() }
    }

    var body: some Scene {
        WindowGroup {
            switch service {
            case .success(let service): FeedScreen(service)
            case .failure(let error): Text(verbatim: error.description)
            }
        }
    }

    private static func service() throws(StoreError) -> FeedService {
        let folder = URL.cachesDirectory.appending(path: "feed")
        // Both can be loaded again, so that backups need not have them.
        let files = FilePolicy(protection: .fromFirstUnlock, isInBackups: false)
        let pictures = try SQLiteStore(file: folder.appending(path: "pictures.sqlite"), files: files)
        // To try it on a Mac or in a simulator, start the reference remotes there: `aquifer remotes` serves them at port 8090
        // and prints this address. An app has its own server here, with https.
        return FeedService(
            base: URL(string: "http://127.0.0.1:8090/feed") ?? folder,
            client: URLSessionHTTPClient(),
            store: try SQLiteStore(file: folder.appending(path: "feed.sqlite"), files: files),
            pictureStore: EvictingStore(pictures, bound: 200 << 20))
    }
}
