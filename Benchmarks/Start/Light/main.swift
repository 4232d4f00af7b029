// Full/main.swift is a link to this file.
import Aquifer
import AquiferCurl
import AquiferSQLite
import AquiferWording

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A program as small as an offline-first one can be: one resource over a store and a client.
///
/// - `start FOLDER` shows the saved copy.
/// - `check FOLDER` loads from a server that is not there, and prints values that full Foundation could make differently.
struct Note: Codable, Sendable {
    let title: String
    let changed: Date
}

prepare()
let (command, folder) = (CommandLine.arguments[1], URL(filePath: CommandLine.arguments[2]))
let address = URL(string: "http://127.0.0.1:1/notes")!
let store = try SQLiteStore(file: folder.appending(path: "start.sqlite"))
let notes = Resource(
    remote: RemoteLoader(HTTPRequest(.get, address), client: CurlHTTPClient()) { head, body in
        guard head.status == 200 else { throw InvalidData.status(head.status) }
        return try JSONDecoder().decode([Note].self, from: body)
    },
    cache: Cache(key: address.absoluteString, in: store))

switch command {
case "start":
    if let saved = try await notes.saved() {
        print(saved.value.map(\.title))
    } else {
        try await notes.save([Note(title: "Hello", changed: Date(timeIntervalSince1970: 784_111_777))])
    }
default:
    do {
        let loaded = try await notes.load()
        if case .cache(_, let reason) = loaded.source {
            print(loaded.value.map { ($0.title, $0.changed) }, String(describing: reason))
        }
    } catch {
        print(error)
    }
    let now = Date(timeIntervalSince1970: 784_111_777)
    print(
        LoadSource.cache(savedAt: now - 2_000_000, because: .connectivity(TransportError(.offline))).notice(
            in: .english, now: now) ?? "-")
    // A host outside ASCII is left out: only full Foundation knows Punycode (docs/decisions/light-foundation.md).
    for text in ["http://a.example/a b?c=ä#d", "HTTP://EXAMPLE.org:8080/%7Ea/../b", "http://[::1]/x", "a b"] {
        let url = URL(string: text)
        print(text, url?.absoluteString ?? "-", url?.host() ?? "-", url?.isWebAddress ?? false)
    }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    for (year, month, day) in [(1994, 11, 6), (2024, 2, 29), (9999, 12, 31)] {
        let date = calendar.date(from: DateComponents(year: year, month: month, day: day, hour: 23, second: 60))
        print(date?.timeIntervalSince1970 ?? -1)
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let json = Data(#"{"title":"1994-11-06 \ud83d\ude00","changed":"1994-11-06T08:49:37Z"}"#.utf8)
    let note = try decoder.decode(Note.self, from: json)
    print(note.title, note.changed)
    print(Decimal(string: "1234.50") ?? 0, SearchText("marcia").isIn("Márcia"), SearchText("ss").isIn("Straße"))
    print(now, Data("aquifer".utf8).base64EncodedString())
}
