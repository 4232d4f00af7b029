import Foundation
import HTTPServer

/// The audio feed's contract (`docs/reference/feeds.md`): clips with ETag and Range, and posts that are saved once.
struct ReferenceAudio: Sendable {
    private struct Listed: Decodable {
        let id: UUID
        let title: String
        let author: String?
        let duration: Double
        let created_at: String  // swift-format-ignore: AlwaysUseLowerCamelCase
        let file: String
        let etag: String
        let waveform: [Double]?
    }

    private struct Page: Encodable {
        let items: [Clip.Item]
    }

    /// The most bytes that the sound of a post may take.
    static let largestSound = 200 << 20

    private let clips: [Clip]
    let store: ClipStore
    let largestSound: Int

    init(media: Media, store: ClipStore, largestSound: Int = Self.largestSound) throws {
        let listed = try JSONDecoder().decode([Listed].self, from: try media.data("clips.json"))
        clips = try listed.enumerated().map { index, clip in
            Clip(
                id: clip.id, title: clip.title, author: clip.author, duration: clip.duration,
                date: try Date(clip.created_at + "Z", strategy: .iso8601), form: index, waveform: clip.waveform,
                kind: .mp3, file: media.url("clips/\(clip.file)"), etag: clip.etag)
        }.reversed()
        self.store = store
        self.largestSound = largestSound
    }

    var handler: ServerHandler {
        var router = Router()
        router.on("GET", "/audio/v1/audio") { request, _ in page(request) }
        router.on("POST", "/audio/v1/audio") { request, _ in await post(request) }
        router.on("GET", "/audio/v1/clips/:name") { request, parameters in
            sound(request, named: parameters["name"] ?? "")
        }
        let handle = router.handle
        return { request in await FileThreads.run { await handle(request) } }
    }

    private func page(_ request: ServerRequest) -> ServerResponse {
        do {
            let all = try store.clips() + clips
            let data = try Self.encode(Page(items: all.map { $0.item(base: Self.base(request)) }))
            return .resource(data, contentType: "application/json", etag: ETag.of(data), for: request)
        } catch {
            return .error(500, "\(error)")
        }
    }

    private func sound(_ request: ServerRequest, named name: String) -> ServerResponse {
        do {
            let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
            guard parts.count == 2, let id = UUID(uuidString: parts[0]),
                let clip = try clips.first(where: { $0.id == id }) ?? store.clip(id), clip.kind.rawValue == parts[1]
            else { return .error(404, "there is no clip \"\(name)\"") }
            let version = try FileVersion(clip.file)
            return .resource(
                length: version.length, contentType: clip.kind.contentType, etag: clip.etag ?? version.etag,
                for: request
            ) { .file(path: clip.file.path, offset: $0.lowerBound, length: $0.upperBound - $0.lowerBound) }
        } catch {
            return .error(500, "the clip cannot be read: \(error)")
        }
    }

    /// The address of the sound: it has the host that the client used.
    static func base(_ request: ServerRequest) -> String {
        "http://\(request.headers["Host"] ?? "127.0.0.1")/audio/v1/clips"
    }

    static func encode(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }
}

/// The attributes that tell the versions of a file apart.
private struct FileVersion {
    let length: UInt64
    let etag: String

    init(_ file: URL) throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        length = (attributes[.size] as? NSNumber)?.uint64Value ?? 0
        let date = (attributes[.modificationDate] as? Date ?? .distantPast).timeIntervalSince1970
        let number = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
        etag = [length, UInt64(max(0, date) * 1_000_000), number].map { String($0, radix: 16) }.joined(separator: "-")
    }
}
