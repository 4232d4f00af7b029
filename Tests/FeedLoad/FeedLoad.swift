import Aquifer
import AquiferCurl
import AquiferSQLite
import Foundation
import ImageFeed

/// Loads the feed of a server and saves it, once. `Scripts/files-passed` counts the source files that this takes.
@main
struct FeedLoad {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst()
        guard words.count == 2, let base = words.first.flatMap(URL.init(string:)), let path = words.last else {
            print("usage: FeedLoad SERVER DATABASE")
            exit(64)
        }
        let store = try SQLiteStore(file: URL(filePath: path))
        let service = FeedService(base: base, client: CurlHTTPClient(), store: store, pictureStore: store)
        let loaded = try await service.feed.load()
        guard loaded.source == .remote, let savedAt = loaded.savedAt, !loaded.value.isEmpty else {
            print("the feed was not loaded and saved: \(loaded)")
            exit(1)
        }
        print("\(loaded.value.count) items, saved at \(savedAt)")
    }
}
