import Aquifer
import AquiferCurl
import AquiferSQLite
import AquiferWording
import Foundation

struct Note: Codable, Sendable { let title: String }

let words = CommandLine.arguments.dropFirst()
guard let address = words.first.flatMap(URL.init(string:)) else {
    print("usage: Quickstart ADDRESS [DAYS]")
    exit(64)
}
let days = words.dropFirst().first.flatMap(Double.init) ?? 0
let now = { @Sendable in Date() + days * 86_400 }  // acts as if so many days had passed

let store = try SQLiteStore(file: .temporaryDirectory.appending(path: "quickstart.sqlite"))
let notes = Resource(
    remote: RemoteLoader(HTTPRequest(.get, address), client: CurlHTTPClient(), map: JSONMapper<[Note]>().map),
    cache: Cache(key: address.absoluteString, in: store, policy: .maxAge(.days(7)), now: now))

do {
    let loaded = try await notes.load()
    print(loaded.source.notice(in: .english, now: now()) ?? "This is the latest.")
    for note in loaded.value { print("- \(note.title)") }
} catch {
    print(error.message(in: .english))
}
