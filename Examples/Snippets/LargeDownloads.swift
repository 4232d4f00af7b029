import Aquifer
import AquiferTesting
import AquiferWording
import Foundation
import Testing

func loader(in folder: URL, store: any CacheStore, client: any HTTPClient) throws -> DataLoader {
    let downloads = try Downloads(
        directory: folder, client: client, bound: 2 << 30, retry: .init(attempts: 5),
        check: { head, _ in
            guard head.mediaType == "audio/mpeg" else { throw InvalidData.body("is no sound") }
        })
    return DataLoader(client: client, store: store, downloads: downloads)
}

func words(for error: DownloadError) -> String {
    switch error {
    case .store(.full): "There is no room left"
    default: error.message(in: .english)
    }
}

@Suite("The snippets of Large downloads", .timeLimit(.minutes(1)))
struct LargeDownloads {
    private let episode = URL(string: "https://example.org/episode.mp3")!
    private let sound = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0) })

    /// A server that answers ranges, and cuts its first answer in the middle.
    private func server() -> ScriptedHTTPClient {
        let sound = sound
        return ScriptedHTTPClient { request in
            let from = request.headers["Range"]?.firstMatch(of: #/bytes=(\d+)-/#).flatMap { Int($0.1) } ?? 0
            var headers: HTTPHeaders = [
                "Content-Type": "audio/mpeg", "ETag": "\"1\"", "Content-Length": "\(sound.count - from)",
            ]
            guard from > 0 else {
                return .stream(
                    headers: headers, chunks: [sound.prefix(300_000)], error: TransportError(.interrupted))
            }
            headers["Content-Range"] = "bytes \(from)-\(sound.count - 1)/\(sound.count)"
            return .stream(status: 206, headers: headers, chunks: [sound.dropFirst(from)])
        }
    }

    @Test("a download that was cut goes on, shows how far it is, is kept and removed")
    func life() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-large-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let client = server()
        let loader = try loader(in: folder, store: MemoryStore(), client: client)
        var shown: [Int] = []

        let download = loader.download(episode)
        for await progress in download.progress {
            shown.append(progress.received)
        }
        let file = try await download.file()
        #expect(file.length == sound.count && shown.last == sound.count)

        let second = try await file.read(100_000..<200_000)
        #expect(second == sound[100_000..<200_000])
        #expect(client.requests.map { $0.headers["If-Range"] } == [nil, "\"1\""])

        let downloads = try #require(loader.downloads)
        try await downloads.pin(episode)
        let kept = try await downloads.list().filter(\.isPinned)
        #expect(kept.map(\.url) == [episode])
        try await downloads.delete(episode)
        let left = try await downloads.list()
        #expect(left.isEmpty)
    }

    @Test("the bytes can be had as they come")
    func streaming() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-large-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let loader = try loader(in: folder, store: MemoryStore(), client: server())
        var played = Data()

        for try await chunk in loader.download(episode).bytes() {
            played += chunk
        }
        #expect(played == sound)
    }

    @Test("errors have words")
    func errors() {
        #expect(words(for: DownloadError.store(.full(path: "/"))) == "There is no room left")
        #expect(words(for: DownloadError.connectivity(TransportError(.offline))).contains("continue the download"))
    }
}
