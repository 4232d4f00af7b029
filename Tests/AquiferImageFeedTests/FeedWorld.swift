import Aquifer
import AquiferImageFeed
import AquiferTesting
import Foundation

/// The feed with remote, stores and clock under a test's control.
struct FeedWorld {
    let client: ScriptedHTTPClient
    let store = FaultyStore(RepeatingStore())
    let pictureStore = FaultyStore(RepeatingStore())
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let base = URL(string: "http://feed.example/api")!

    init(_ replies: ScriptedHTTPClient.Reply...) {
        client = ScriptedHTTPClient(replies)
    }

    init(client: ScriptedHTTPClient) {
        self.client = client
    }

    var service: FeedService {
        FeedService(base: base, client: client, store: store, pictureStore: pictureStore, now: date.read)
    }
}

/// Items numbered from `first`.
func items(_ first: Int, count: Int = 10) -> [FeedItem] {
    (first..<(first + count)).map { number in
        FeedItem(
            id: UUID(uuidString: "00000000-0000-0000-0000-\(String(format: "%012d", number))")!,
            description: number.isMultiple(of: 3) ? nil : "Picture \(number)",
            location: number.isMultiple(of: 2) ? nil : "Çeşme,\nTürkiye \(number)",
            image: URL(string: "http://pictures.example/\(number).jpg")!)
    }
}

extension ScriptedHTTPClient.Reply {
    static func page(_ items: [FeedItem], headers: HTTPHeaders = [:]) -> Self {
        .answer(headers: headers, body: json(items))
    }

    static let refused = Self.failure(TransportError(.cannotConnect))
    static let offline = Self.failure(TransportError(.offline))
}

/// A page as the contract has it: fields that are absent are left out.
func json(_ items: [FeedItem]) -> Data {
    let objects = items.map { item -> [String: String] in
        var fields = ["id": item.id.uuidString, "image": item.image.absoluteString]
        fields["description"] = item.description
        fields["location"] = item.location
        return fields
    }
    do {
        return try JSONSerialization.data(withJSONObject: ["items": objects])
    } catch {
        preconditionFailure("strings are JSON: \(error)")
    }
}
