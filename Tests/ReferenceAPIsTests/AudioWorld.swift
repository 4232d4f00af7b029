import Aquifer
import Foundation
import ReferenceAPIs
import Testing

/// The reference audio feed, as a client sees it.
struct AudioWorld {
    let apis: ReferenceAPIs
    let client: any HTTPClient
    let base: URL

    /// Runs a test over one of the ways.
    static func run(
        _ way: Way, folder: URL? = nil, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date(timeIntervalSince1970: 1_795_000_000) },
        _ test: (AudioWorld) async throws -> Void
    ) async throws {
        let apis = try ReferenceAPIs(directory: folder, clock: clock, now: now)
        try await way.run(apis) { client, base in
            try await test(AudioWorld(apis: apis, client: client, base: base.appending(path: "audio/v1")))
        }
    }

    /// A folder that is gone after the test.
    static func withFolder(_ test: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "audio-remote-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await test(folder)
    }

    struct Answer {
        let status: Int
        let headers: HTTPHeaders
        let data: Data
        /// True if the body was cut.
        var isCut = false

        var json: [String: Any] { (try? JSONSerialization.jsonObject(with: data) as? [String: Any]) ?? [:] }
        var error: String? { json["error"] as? String }
        var id: String? { json["id"] as? String }
    }

    struct Item: Decodable, Equatable {
        let id: UUID
        let title: String
        let author: String?
        let duration: Double
        let created_at: String  // swift-format-ignore: AlwaysUseLowerCamelCase
        let audio: URL
        let waveform: [Double]?
    }

    private struct Page: Decodable {
        let items: [Item]
    }

    /// Sends a request. The answer has the bytes that came, even of a body that was cut.
    func send(_ request: HTTPRequest) async throws -> Answer {
        let response = try await client.send(request)
        var data = Data()
        var isCut = false
        do throws(TransportError) {
            while let chunk = try await response.body.next() { data.append(chunk) }
        } catch { isCut = true }
        return Answer(status: response.head.status, headers: response.head.headers, data: data, isCut: isCut)
    }

    func get(_ url: URL, _ headers: HTTPHeaders = [:], method: HTTPMethod = .get) async throws -> Answer {
        try await send(HTTPRequest(method, url, headers: headers))
    }

    var feed: URL { base.appending(path: "audio") }

    func items() async throws -> [Item] {
        let items = try JSONDecoder().decode(Page.self, from: try await get(feed).data).items
        // A loop over no items would test nothing.
        try #require(!items.isEmpty)
        return items
    }

    /// The items that were posted: the remote's own are fourteen.
    func posted() async throws -> [Item] { Array(try await items().dropLast(14)) }

    // MARK: Posting

    struct Part {
        var head: String
        var data: Data

        static func metadata(_ json: String) -> Part {
            Part(
                head: "Content-Disposition: form-data; name=\"metadata\"\r\nContent-Type: application/json",
                data: Data(json.utf8))
        }

        static func audio(_ data: Data) -> Part {
            Part(
                head: "Content-Disposition: form-data; name=\"audio\"; filename=\"a \\\"clip\\\".mp3\"\r\n"
                    + "Content-Type: audio/mpeg", data: data)
        }
    }

    static func form(_ parts: [Part]) -> Data {
        var body = Data()
        for part in parts { body += Data("--frontier\r\n\(part.head)\r\n\r\n".utf8) + part.data + Data("\r\n".utf8) }
        return body + Data("--frontier--\r\n".utf8)
    }

    func post(
        _ parts: [Part], key: String? = nil, type: String? = "multipart/form-data; boundary=frontier"
    ) async throws -> Answer {
        var headers: HTTPHeaders = [:]
        headers["Content-Type"] = type
        headers["Idempotency-Key"] = key
        return try await send(HTTPRequest(.post, feed, headers: headers, body: .bytes(Self.form(parts))))
    }

    func post(title: String = "A clip", key: String? = nil, sound: Data = Self.sound) async throws -> Answer {
        let json = try JSONSerialization.data(withJSONObject: ["title": title])
        return try await post([.metadata(String(decoding: json, as: UTF8.self)), .audio(sound)], key: key)
    }

    /// A file that begins as MP3 does: 417 bytes a frame of 1152 samples at 44 100 Hz, 128 kbit/s.
    static let sound = Data([0xFF, 0xFB, 0x90, 0xC0]) + Data((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
}
