import Aquifer
import AquiferAudioFeed
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import App

/// The store of forms stands still at one replica, after it was told to post; the page goes on with another one.
@MainActor
@Suite("A clip that a page tells two replicas to post", .timeLimit(.minutes(10)))
struct AudioComposeReplicasTests {
    private nonisolated static let clock = Date(timeIntervalSince1970: 1_780_000_000)
    private let forms = MemoryStore()
    private let queue = MemoryStore()
    private let folder = FileManager.default.temporaryDirectory.appending(path: "aquifer-compose-\(UUID().uuidString)")

    /// The form at a replica, whose store of forms and whose clock are these.
    private func screen(
        _ name: String, _ forms: any CacheStore, now: @escaping @Sendable () -> Date = { Self.clock }
    ) throws -> AudioComposeScreen {
        let client = ScriptedHTTPClient()
        let (saved, own) = (MemoryStore(), folder.appending(path: name))
        let service = AudioFeedService(
            base: try #require(URL(string: "http://audio.example")), client: client, store: saved,
            downloads: { () throws(StoreError) in
                try Downloads(
                    directory: own.appending(path: "audio"), client: client, retry: .never, now: { Self.clock })
            },
            outbox: AudioFeedService.outbox(
                in: queue, files: .folder(folder.appending(path: "outbox")), client: client,
                policy: SendPolicy(now: { Self.clock }), store: saved, now: { Self.clock }),
            now: { Self.clock })
        let uploads = Uploads(own.appending(path: "uploads"))
        let files = DraftFiles(store: forms, uploads: uploads, now: now)
        return AudioComposeScreen(service, uploads: uploads, shelf: AudioDraftShelf(files, tab: "tab"))
    }

    private func tell(_ screen: AudioComposeScreen, _ intent: AudioComposeScreen.Intent, _ fields: [String: String])
        async throws
    {
        try await screen.action(for: intent, IntentFields(fields))()
    }

    @Test(
        "is posted once, as it was when it was to be posted; the first replica shows what the other has done",
        arguments: [false, true])
    func once(fails: Bool) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        let held = HeldUpdates(base: forms)
        let (one, other) = (try screen("one", held), try screen("other", forms))
        let file = folder.appending(path: "clip.mp3")
        try (Data("ID3".utf8) + Data(repeating: 7, count: 1000)).write(to: file)
        try await one.shelf?.keep(file)
        one.model.choose(file, name: "a.mp3")
        try await tell(one, .title, ["text": "Rain"])
        await other.prepare()
        #expect(await eventually { other.model.canSend && other.model.title == "Rain" })
        held.isHeld = true
        let press = Task { try await tell(one, .later, ["title": "Rain"]) }
        #expect(await eventually { one.model.isSending })
        one.model.type("Snow")
        try await tell(other, .later, ["title": "Rain"])
        if fails { held.failure = .failed(operation: "reach the store", reason: "the connection was lost") }
        held.isHeld = false
        try await press.value
        if fails {
            guard case .failed(.notKept) = one.model.phase else { return #expect(Bool(false), "\(one.model.phase)") }
            held.failure = nil
            try await tell(one, .later, ["title": "Rain"])
        }
        #expect(one.model.title.isEmpty && one.model.file == nil && !one.model.isSending)
        let items = try await queue.contents().entries.filter { $0.key.hasPrefix("item:") }
        #expect(items.count == 1)
    }

    @Test(
        "stays with its file whatever the clock of a replica says, until it was left for a day by the store's clock",
        arguments: [-25.0, 25])
    func wrongClock(hours: Double) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // what a test leaves behind is not what it tests
        let time = ManualDate(Self.clock)
        let store = TimedStore(base: forms, presence: StoreTime(date: time))
        let wrong: @Sendable () -> Date = { time.now + hours * 3600 }
        let (one, other) = (try screen("one", store, now: wrong), try screen("other", store, now: time.read))
        let file = folder.appending(path: "clip.mp3")
        try (Data("ID3".utf8) + Data(repeating: 7, count: 1000)).write(to: file)
        try await one.shelf?.keep(file)
        one.model.choose(file, name: "a.mp3")
        try await tell(one, .title, ["text": "Rain"])
        for now in [wrong(), time.now] { await DraftFiles.sweep(store, now: now) }
        await other.prepare()
        #expect(one.model.title == "Rain" && one.model.file != nil && other.model.canSend)
        // An open form stays for longer, and its file with it.
        for _ in 0..<30 {
            time.advance(by: 3600)
            await other.shelf?.renew()
            for now in [wrong(), time.now] { await DraftFiles.sweep(store, now: now) }
        }
        // One that nobody can read is nobody's form, and keeps no file.
        try await forms.insert(StoredEntry(bytes: Data("?".utf8), savedAt: time.now), for: "draft:unreadable")
        try await forms.insert(StoredEntry(bytes: Data(), savedAt: Self.clock), for: "upload:\(UUID().uuidString):0")
        let damaged = FaultyForm(base: store, key: "draft:unreadable")
        await DraftFiles.sweep(damaged, now: time.now)
        #expect(try await forms.contents(prefix: "upload:").entries.count == 1)
        let third = try screen("third", store)
        await third.prepare()
        #expect(third.model.title == "Rain" && third.model.canSend)
        time.advance(by: DraftFiles.keep + 1)
        await DraftFiles.sweep(store, now: Self.clock)
        #expect(try await forms.entries().isEmpty)
    }
}

/// A store that has a clock.
private struct TimedStore: ForwardingStore {
    let base: any CacheStore
    let presence: (any StorePresence)?
}

/// A store in which a form is damaged.
private struct FaultyForm: ForwardingStore {
    let base: any CacheStore
    let key: String

    var presence: (any StorePresence)? { base.presence }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        if key == self.key { throw .unreadable(key: key, reason: "damaged") }
        return try await base.retrieve(key)
    }
}

private struct StoreTime: StorePresence {
    let date: ManualDate
    let name: String? = nil

    func time() async throws(StoreError) -> Date { date.now }
    func gone(among names: Set<String>) async throws(StoreError) -> Set<String> { [] }
}

/// A store whose updates stand still while they are held, and then may fail.
private final class HeldUpdates: ForwardingStore {
    let base: any CacheStore
    private let state = Locked((isHeld: false, failure: StoreError?.none))

    init(base: any CacheStore) { self.base = base }

    var isHeld: Bool {
        get { state.withLock { $0.isHeld } }
        set { state.withLock { $0.isHeld = newValue } }
    }

    var failure: StoreError? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        #expect(await eventually { !isHeld })
        if let failure { throw failure }
        try await base.update(key, decide)
    }
}
