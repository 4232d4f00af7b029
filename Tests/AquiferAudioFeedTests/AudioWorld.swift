import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation

@testable import AquiferAudioFeed

/// The audio feed with remote, stores and clock under a test's control.
final class AudioWorld: Sendable {
    let client: ScriptedHTTPClient
    let store = FaultyStore(RepeatingStore())
    let queue = FaultyStore(RepeatingStore())
    let date = ManualDate(Date(timeIntervalSince1970: 1_780_000_000))
    let base = URL(string: "http://audio.example")!
    let folder: URL
    let service: AudioFeedService

    convenience init(_ replies: ScriptedHTTPClient.Reply...) { self.init(client: ScriptedHTTPClient(replies)) }

    init(client: ScriptedHTTPClient) {
        self.client = client
        folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-audio-\(UUID().uuidString)")
        service = Self.service(base, client, store, queue, folder, date)
    }

    /// Another process over the same stores, or this one after a restart.
    func another(_ client: ScriptedHTTPClient, base: URL? = nil) -> AudioFeedService {
        Self.service(base ?? self.base, client, store, queue, folder, date)
    }

    private static func service(
        _ base: URL, _ client: ScriptedHTTPClient, _ store: FaultyStore, _ queue: FaultyStore, _ folder: URL,
        _ date: ManualDate
    ) -> AudioFeedService {
        let downloads = Locked<Downloads?>(nil)
        let now = date.read
        return AudioFeedService(
            base: base, client: client, store: store,
            downloads: { () throws(StoreError) in
                try downloads.withLock { opened throws(StoreError) in
                    if let opened { return opened }
                    let made = try Downloads(
                        directory: folder.appending(path: "audio"), client: client, retry: .never, now: now)
                    opened = made
                    return made
                }
            },
            outbox: AudioFeedService.outbox(
                in: queue, files: .folder(folder.appending(path: "outbox")), client: client,
                policy: SendPolicy(now: now),
                store: store, now: now),
            now: now)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// A file of these bytes.
    func file(_ bytes: Data = AudioWorld.mp3, name: String = "clip.mp3") throws -> URL {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: name)
        try bytes.write(to: file)
        return file
    }

    static let mp3 = Data("ID3".utf8) + Data(repeating: 7, count: 1000)
    static let id = UUID(uuidString: "0A0A0A0A-0000-0000-0000-000000000001")!

    /// The identity that this machine gives to a clip.
    static func own(_ number: Int) -> String { "0B0B0B0B-0000-0000-0000-00000000000\(number)" }

    static func item(_ number: Int = 1, title: String = "Rain", extra: String = "") -> String {
        """
        {"id":"0A0A0A0A-0000-0000-0000-00000000000\(number)","title":"\(title)","duration":12.5,\
        "created_at":"2026-05-01T10:00:00Z","audio":"http://audio.example/\(number).mp3"\(extra)}
        """
    }
}

extension ScriptedHTTPClient.Reply {
    static func clips(_ items: String...) -> Self {
        .answer(body: Data("{\"items\":[\(items.joined(separator: ","))]}".utf8))
    }

    static func posted(_ item: String = AudioWorld.item(9), status: Int = 201) -> Self {
        .answer(status: status, body: Data(item.utf8))
    }

    static let refused = Self.failure(TransportError(.cannotConnect, "refused"))
}
