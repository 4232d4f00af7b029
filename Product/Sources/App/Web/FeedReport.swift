import Aquifer
import AquiferImageFeed
import Foundation

/// A loaded feed as JSON for programs. Its shape is that of `aquifer feed list --json` (`docs/json.md`).
struct FeedReport: Encodable {
    /// An item in the remote's field names.
    struct Item: Encodable {
        let id: String
        @OrNull var description: String?
        @OrNull var location: String?
        let image: String

        init(_ item: FeedItem) {
            id = item.id.uuidString
            _description = OrNull(wrappedValue: item.description)
            _location = OrNull(wrappedValue: item.location)
            image = item.image.absoluteString
        }
    }

    let source: String
    @OrNull var savedAt: String?
    @OrNull var because: String?
    @OrNull var saveError: String?
    let value: [Item]

    init(_ loaded: Loaded<[FeedItem]>) {
        switch loaded.source {
        case .remote: (source, _because) = ("remote", OrNull(wrappedValue: nil))
        case .cache(_, let because): (source, _because) = ("cache", OrNull(wrappedValue: because?.rawValue))
        }
        _savedAt = OrNull(wrappedValue: loaded.savedAt?.formatted(.iso8601))
        _saveError = OrNull(wrappedValue: loaded.saveError.map { "\($0)" })
        value = loaded.value.map(Item.init)
    }

    /// The report as JSON.
    var json: Data { WireJSON.data(self) }
}
