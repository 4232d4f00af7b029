import Aquifer
import AquiferSQLite
import Foundation

#if !os(Linux)
    import AquiferURLSession
#else
    import AquiferCurl
#endif

/// A note, as the server has it.
public struct Note: Codable, Sendable, Equatable {
    /// The title of the note.
    public let title: String
}

/// The notes of the app. It picks its client and its store here.
public enum Notes {
    /// The notes of a server, kept in a folder.
    public static func resource(_ address: URL, folder: URL) throws -> Resource<[Note]> {
        #if os(Linux)
            let client = CurlHTTPClient()
        #else
            let client = URLSessionHTTPClient()
        #endif
        let store = try SQLiteStore(file: folder.appending(path: "notes.sqlite"))
        return Resource(
            remote: RemoteLoader(HTTPRequest(.get, address), client: client, map: JSONMapper().map),
            cache: Cache(key: "notes:\(address.absoluteString)", in: store))
    }
}
