import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import Aquifer

/// The places of the files of an outbox: each machine has an outbox and a keeper of its own over what they share.
enum KeptIn: String, CaseIterable, CustomTestStringConvertible {
    case folder, store

    var testDescription: String { rawValue }
}

/// The data that two machines share, in a temporary folder.
private struct SharedFiles {
    let world = OutboxWorld()
    let files = FaultyStore(RepeatingStore(MemoryStore()))
    let gone = Locked(Set<String>())
    let place: URL

    func keeper(_ kind: KeptIn, _ machine: String) -> any AttachmentKeeper {
        if kind == .folder { return AttachmentFolder(place.appending(path: "files")) }
        let store = PresentStore(base: files, presence: NamedPresence(name: machine, gone: gone))
        let copies = place.appending(path: machine)
        return StoredAttachments(
            in: store,
            copies: { () throws(StoreError) in
                try POSIX.makeFolder(copies.path)
                return copies
            }, now: world.date.read)
    }

    func outbox(_ kind: KeptIn, _ machine: String, over store: (any CacheStore)? = nil) -> Outbox {
        Outbox(
            in: store ?? world.store, keeper: keeper(kind, machine), client: world.server.client,
            policy: world.policy(), skipsRefused: false, owner: UUID(), events: nil,
            judge: { _, head, _ in .init(head) }, whenSent: { _, _ in })
    }

    /// The names of everything that is kept.
    func kept(_ kind: KeptIn) async throws -> [String] {
        if kind == .store { return try await files.entries().map(\.key).sorted() }
        // A folder that is not there holds nothing.
        return (try? FileManager.default.contentsOfDirectory(atPath: place.appending(path: "files").path)) ?? []
    }

    /// A file of three pieces, the last one not whole.
    func clip() throws -> (file: URL, bytes: Data) {
        let bytes = Data((0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 16) })
        let file = place.appending(path: "clip.mp3")
        try bytes.write(to: file)
        return (file, bytes)
    }

    func request(_ file: URL, length: UInt64 = 2_500_000) -> HTTPRequest {
        HTTPRequest(
            .post, world.url, body: HTTPBody(parts: [.bytes(Data("<".utf8)), .file(file, offset: 0, length: length)]))
    }

    static func with(_ body: (SharedFiles) async throws -> Void) async throws {
        try await TemporaryFolder.with { try await body(SharedFiles(place: $0)) }
    }
}

@Suite("Files that wait to be sent, in a folder and in a store", .timeLimit(.minutes(5)))
struct AttachmentKeeperTests {
    @Test(
        "are sent whole by another machine when the original and the first machine are gone", arguments: KeptIn.allCases
    )
    func whole(_ kind: KeptIn) async throws {
        try await SharedFiles.with { shared in
            let (file, bytes) = try shared.clip()
            try await shared.outbox(kind, "a").enqueue(shared.request(file))
            try FileManager.default.removeItem(at: file)
            let sent = Locked([Data]())
            shared.world.server.rule { _, request in
                sent.withLock { $0.append(request.wholeBody) }
                return nil
            }
            #expect(try await shared.outbox(kind, "b").drain().sent == 1)
            #expect(sent.withLock { $0 } == [Data("<".utf8) + bytes])
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test("leave nothing when they are discarded, missing or too short", arguments: KeptIn.allCases)
    func nothingLeft(_ kind: KeptIn) async throws {
        try await SharedFiles.with { shared in
            let (file, _) = try shared.clip()
            let outbox = shared.outbox(kind, "a")
            let item = try await outbox.enqueue(shared.request(file))
            #expect(try await shared.kept(kind).isEmpty == false)
            try await outbox.discard(item.id)
            #expect(try await shared.kept(kind) == [])
            await #expect(throws: OutboxError.attachment(name: "clip.mp3", reason: "is shorter than it should be")) {
                try await outbox.enqueue(shared.request(file, length: 2_500_001))
            }
            try FileManager.default.removeItem(at: file)
            await #expect(throws: OutboxError.attachment(name: "clip.mp3", reason: "is not there")) {
                try await outbox.enqueue(shared.request(file))
            }
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test("go with the last item of their number, whose record cannot be read", arguments: KeptIn.allCases)
    func removedByNumber(_ kind: KeptIn) async throws {
        try await SharedFiles.with { shared in
            let keeper = shared.keeper(kind, "a")
            let file = try shared.clip().file
            var hold = try await keeper.keep([.file(file, offset: 0, length: 10)], stem: "one-1")
            try await keeper.assign(&hold, to: 7)
            #expect(try await keeper.confirm(hold))
            #expect(await keeper.highestNumber() == 7)
            await keeper.removeAll(of: 6)
            #expect(try await shared.kept(kind).isEmpty == false)
            await keeper.removeAll(of: 7)
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test("lie in a store in pieces of 1 MiB at most, and a damaged piece is never sent")
    func pieces() async throws {
        try await SharedFiles.with { shared in
            let (file, _) = try shared.clip()
            try await shared.outbox(.store, "a").enqueue(shared.request(file))
            let sizes = try await shared.files.entries().filter { $0.key.hasPrefix("piece:") }.map(\.size).sorted()
            #expect(sizes == [2_500_000 - 2 << 20, 1 << 20, 1 << 20])
            let key = try #require(try await shared.files.entries().map(\.key).filter { $0.hasSuffix(":1") }.first)
            var piece = try #require(try await shared.files.retrieve(key))
            piece.bytes[1000] ^= 1
            try await shared.files.insert(piece, for: key)
            let outbox = shared.outbox(.store, "b")
            #expect(try await outbox.drain().refused == 1)
            let refusal = Outbox.Refusal.attachment(name: "clip.mp3", reason: "was damaged after it was queued")
            #expect(try await outbox.standing() == [.refused(refusal)])
            #expect(shared.world.server.asked == [])
        }
    }

    @Test("are made anew from the store when the file made for sending was damaged")
    func damagedFile() async throws {
        try await SharedFiles.with { shared in
            let (file, bytes) = try shared.clip()
            let outbox = shared.outbox(.store, "a")
            let item = try await outbox.enqueue(shared.request(file))
            guard case .file(let copy, _, _) = try await outbox.request(of: item.id).body?.parts.last else {
                Issue.record("there is no file to send")
                return
            }
            #expect(try Data(contentsOf: copy) == bytes)
            try Data(count: bytes.count).write(to: copy)
            let sent = Locked([Data]())
            shared.world.server.rule { _, request in
                sent.withLock { $0.append(request.wholeBody) }
                return nil
            }
            #expect(try await outbox.drain().sent == 1)
            #expect(sent.withLock { $0 } == [Data("<".utf8) + bytes])
            #expect(!FileManager.default.fileExists(atPath: copy.path))
        }
    }

    @Test("are made anew for each attempt, and so is their folder, which a system may clear away meanwhile")
    func clearedAway() async throws {
        try await SharedFiles.with { shared in
            let (file, bytes) = try shared.clip()
            let copies = shared.place.appending(path: "caches/outbox")
            let outbox = Outbox(
                in: shared.world.store, files: .store(shared.files, copies: { copies }),
                client: shared.world.server.client, policy: shared.world.policy())
            let sent = Locked([Data]())
            shared.world.server.rule { _, request in
                sent.withLock { $0.append(request.wholeBody) }
                // The first attempt is repeated.
                return sent.withLock { $0.count } == 1 ? .status(503) : nil
            }
            try await outbox.enqueue(shared.request(file))
            for round in 1...3 {
                #expect(try await outbox.drain().sent == (round == 1 ? 0 : 1))
                #expect(sent.withLock { $0 } == Array(repeating: Data("<".utf8) + bytes, count: round))
                try FileManager.default.removeItem(at: shared.place.appending(path: "caches"))
                if round == 2 { try await outbox.enqueue(shared.request(file)) }
                shared.world.pass(11)
            }
        }
    }

    @Test("wait, and are not refused, while their store cannot be reached")
    func unreachable() async throws {
        try await SharedFiles.with { shared in
            let (file, _) = try shared.clip()
            let outbox = shared.outbox(.store, "a")
            try await outbox.enqueue(shared.request(file))
            shared.files.fail(.retrieve, with: .failed(operation: "read", reason: "out of reach"))
            #expect(try await outbox.drain().refused == 0)
            shared.files.heal()
            shared.world.pass(11)
            #expect(try await outbox.drain().sent == 1)
        }
    }

    @Test("of a maker that has gone before it saved its item are swept, those of a maker that lives are not")
    func torn() async throws {
        try await SharedFiles.with { shared in
            let file = try shared.clip().file
            let keeper = shared.keeper(.store, "a")
            _ = try await keeper.keep([.file(file, offset: 0, length: 2_000_000)], stem: "one-1")
            var numbered = try await keeper.keep([.file(file, offset: 0, length: 10)], stem: "one-2")
            try await keeper.assign(&numbered, to: 1)
            // A piece without its head was left by a sweep that was killed.
            try await shared.files.insert(StoredEntry(bytes: Data(count: 9), savedAt: Date()), for: "piece:gone-1.0:0")
            let other = shared.keeper(.store, "b")
            await other.sweep { _, _ in true }
            #expect(try await shared.kept(.store).count == 5)
            shared.gone.withLock { $0 = ["a"] }
            await other.sweep { _, _ in true }
            #expect(try await shared.kept(.store) == [])
        }
    }

    @Test("stay when their item was saved, though nobody has confirmed them")
    func unconfirmed() async throws {
        try await SharedFiles.with { shared in
            let keeper = shared.keeper(.store, "a")
            var hold = try await keeper.keep([.file(try shared.clip().file, offset: 0, length: 10)], stem: "one-1")
            try await keeper.assign(&hold, to: 1)
            shared.gone.withLock { $0 = ["a"] }
            await shared.keeper(.store, "b").sweep { _, _ in false }
            #expect(try await shared.kept(.store).count == 2)
        }
    }

    @Test("that a sweep has taken from a maker that lives are missed by it: the item is withdrawn, and its user told")
    func takenForDead() async throws {
        try await SharedFiles.with { shared in
            let file = try shared.clip().file
            let outbox = shared.outbox(.store, "a")
            shared.gone.withLock { $0 = ["a"] }
            let other = shared.keeper(.store, "b")
            // The sweep comes between the number and the item.
            let store = SweptStore(base: shared.world.store) { await other.sweep { _, _ in true } }
            let swept = Outbox(
                in: store, keeper: shared.keeper(.store, "a"), client: shared.world.server.client,
                policy: shared.world.policy(), skipsRefused: false, owner: UUID(), events: nil,
                judge: { _, head, _ in .init(head) }, whenSent: { _, _ in })
            await #expect(throws: OutboxError.self) { try await swept.enqueue(shared.request(file)) }
            #expect(try await outbox.items() == [])
            #expect(try await shared.kept(.store) == [])
        }
    }

    @Test("of a change that another machine has sent by now are not missed by their maker", arguments: KeptIn.allCases)
    func sentBeforeTheyAreConfirmed(_ kind: KeptIn) async throws {
        try await SharedFiles.with { shared in
            let other = shared.outbox(kind, "b")
            other.register(
                ChangeHandler(
                    request: { _, _, _ in shared.world.note("one") }, verdict: { _, _, _, _ in nil },
                    confirm: { change, _, _ in .init(change: change) }), for: "clips", { _, _ in })
            let store = SweptStore(base: shared.world.store, isLate: true) {
                _ = try? await other.drain()  // asserted below
            }
            let change = OutboxChange(kind: "clips", target: "one", bytes: Data("{}".utf8))
            let (number, _) = try await shared.outbox(kind, "a", over: store).enqueue(
                shared.request(try shared.clip().file), key: nil, group: nil, label: "", change: change)
            #expect(shared.world.server.asked.count == 1)
            #expect(try await other.items().map(\.id.number) == [])
            let found = try await OutboxShelf(store: shared.world.store, attachments: nil, now: { Date() }).find(number)
            guard case .record(let record) = found else { return #expect(Bool(false), "\(found)") }
            #expect(record.head.isConfirmed)
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test("that were swept from an item that another machine sends by now leave the outcome open")
    func takenWhileTheyAreSent() async throws {
        try await SharedFiles.with { shared in
            shared.gone.withLock { $0 = ["a"] }
            let (other, sweeper) = (shared.outbox(.store, "b"), shared.keeper(.store, "c"))
            // The sweep takes the files of an item that it has missed, which is claimed a moment later.
            shared.world.server.rule { _, _ in .silence }
            let store = SweptStore(base: shared.world.store, isLate: true) {
                _ = try? await other.drain()  // asserted below
                await sweeper.sweep { _, _ in true }
            }
            let outbox = shared.outbox(.store, "a", over: store)
            let request = shared.request(try shared.clip().file)
            await #expect {
                try await outbox.enqueue(request)
            } throws: { error in
                if case OutboxError.store(.uncertain) = error { true } else { false }
            }
            #expect(try await other.items().count == 1)
        }
    }

    @Test(
        "are sent whole when nobody knew whether their item was saved, and it was",
        arguments: KeptIn.allCases, [LateStore.uncertain, LateStore.unflushed])
    func savedAllTheSame(_ kind: KeptIn, _ failure: StoreError) async throws {
        try await SharedFiles.with { shared in
            let (file, bytes) = try shared.clip()
            let store = LateStore(base: shared.world.store, failures: [failure])
            let item = try await shared.outbox(kind, "a", over: store).enqueue(shared.request(file))
            #expect(store.failures == [])
            let sent = Locked([Data]())
            shared.world.server.rule { _, request in
                sent.withLock { $0.append(request.wholeBody) }
                return nil
            }
            #expect(try await shared.outbox(kind, "b").items().map(\.key) == [item.key])
            #expect(try await shared.outbox(kind, "b").drain().sent == 1)
            store.fail([failure])
            guard case .sent = try await shared.outbox(kind, "a", over: store).post(shared.request(file)) else {
                Issue.record("the request was saved, and was not sent")
                return
            }
            #expect(sent.withLock { $0 } == [Data("<".utf8) + bytes, Data("<".utf8) + bytes])
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test(
        "stay while nobody can tell whether their item was saved, and are sent whole if it was",
        arguments: KeptIn.allCases)
    func unknown(_ kind: KeptIn) async throws {
        try await SharedFiles.with { shared in
            let (file, bytes) = try shared.clip()
            let store = LateStore(base: shared.world.store, failures: [LateStore.uncertain], isDark: true)
            await #expect(throws: OutboxError.store(LateStore.uncertain)) {
                try await shared.outbox(kind, "a", over: store).enqueue(shared.request(file))
            }
            store.fail([LateStore.unflushed, LateStore.unflushed], isDark: false)
            // The caller must not take it for "nothing is queued".
            let doubt = StoreError.uncertain(operation: "queue an item", reason: "\(LateStore.unflushed)")
            await #expect(throws: OutboxError.store(doubt)) {
                try await shared.outbox(kind, "a", over: store).enqueue(shared.request(file))
            }
            let sent = Locked([Data]())
            shared.world.server.rule { _, request in
                sent.withLock { $0.append(request.wholeBody) }
                return nil
            }
            #expect(try await shared.outbox(kind, "b").drain().sent == 2)
            #expect(sent.withLock { $0 } == [Data("<".utf8) + bytes, Data("<".utf8) + bytes])
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test("leave nothing behind when their item was not saved after all", arguments: KeptIn.allCases)
    func notSaved(_ kind: KeptIn) async throws {
        try await SharedFiles.with { shared in
            let store = CrampedStore(base: shared.world.store)
            let file = try shared.clip().file
            await #expect(throws: OutboxError.store(.full(path: "/disk"))) {
                try await shared.outbox(kind, "a", over: store).enqueue(shared.request(file))
            }
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test("leave nothing behind when their user logs out while their item is saved", arguments: KeptIn.allCases)
    func endedScope(_ kind: KeptIn) async throws {
        try await SharedFiles.with { shared in
            let scope = Scope("user/7", in: shared.world.store)
            let store = SweptStore(base: scope.store) {
                do { try await scope.end(unsent: .discard) } catch { Issue.record(error) }
            }
            let file = try shared.clip().file
            await #expect(throws: OutboxError.store(.ended(scope: "user/7"))) {
                try await shared.outbox(kind, "a", over: store).enqueue(shared.request(file))
            }
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test(
        "of an edited item are sent whole when nobody knew whether it was saved, and it was",
        arguments: KeptIn.allCases, [LateStore.uncertain, LateStore.unflushed])
    func editedAllTheSame(_ kind: KeptIn, _ failure: StoreError) async throws {
        try await SharedFiles.with { shared in
            let (file, bytes) = try shared.clip()
            shared.world.server.rule { _, _ in .status(422) }
            let store = LateStore(base: shared.world.store, failures: [])
            let outbox = shared.outbox(kind, "a", over: store)
            let item = try await outbox.enqueue(shared.request(file, length: 10))
            #expect(try await outbox.drain().refused == 1)
            store.fail([failure])
            try await outbox.edit(item.id, to: shared.request(file))
            #expect(store.failures == [])
            let sent = Locked([Data]())
            shared.world.server.rule { _, request in
                sent.withLock { $0.append(request.wholeBody) }
                return nil
            }
            // Another machine sweeps what the item had before.
            #expect(try await shared.outbox(kind, "b").drain().sent == 1)
            #expect(sent.withLock { $0 } == [Data("<".utf8) + bytes])
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test(
        "of an edited item stay while nobody can tell whether it was saved: the edit ends as uncertain",
        arguments: KeptIn.allCases)
    func editedUnknown(_ kind: KeptIn) async throws {
        try await SharedFiles.with { shared in
            let (file, bytes) = try shared.clip()
            shared.world.server.rule { _, _ in .status(422) }
            let store = LateStore(base: shared.world.store, failures: [])
            let outbox = shared.outbox(kind, "a", over: store)
            let item = try await outbox.enqueue(shared.request(file, length: 10))
            #expect(try await outbox.drain().refused == 1)
            store.fail([LateStore.unflushed, LateStore.unflushed])
            let doubt = StoreError.uncertain(operation: "edit an item", reason: "\(LateStore.unflushed)")
            await #expect(throws: OutboxError.store(doubt)) { try await outbox.edit(item.id, to: shared.request(file)) }
            let sent = Locked([Data]())
            shared.world.server.rule { _, request in
                sent.withLock { $0.append(request.wholeBody) }
                return nil
            }
            #expect(try await shared.outbox(kind, "b").drain().sent == 1)
            #expect(sent.withLock { $0 } == [Data("<".utf8) + bytes])
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test(
        "of an edited item stay while the store may still replace the item from before", arguments: KeptIn.allCases)
    func editedLate(_ kind: KeptIn) async throws {
        try await SharedFiles.with { shared in
            let (file, bytes) = try shared.clip()
            shared.world.server.rule { _, _ in .status(422) }
            let store = HoldingStore(base: shared.world.store)
            let outbox = shared.outbox(kind, "a", over: store)
            let item = try await outbox.enqueue(shared.request(file, length: 10))
            #expect(try await outbox.drain().refused == 1)
            store.hold()
            await #expect(throws: OutboxError.store(HoldingStore.uncertain)) {
                try await outbox.edit(item.id, to: shared.request(file))
            }
            try await store.release()
            let sent = Locked([Data]())
            shared.world.server.rule { _, request in
                sent.withLock { $0.append(request.wholeBody) }
                return nil
            }
            #expect(try await shared.outbox(kind, "b").drain().sent == 1)
            #expect(sent.withLock { $0 } == [Data("<".utf8) + bytes])
            #expect(try await shared.kept(kind) == [])
        }
    }

    @Test("are kept beside a damaged head: their pieces suffice to send them")
    func damagedHead() async throws {
        try await SharedFiles.with { shared in
            let (file, bytes) = try shared.clip()
            try await shared.outbox(.store, "a").enqueue(shared.request(file))
            let sent = Locked([Data]())
            shared.world.server.rule { _, request in
                sent.withLock { $0.append(request.wholeBody) }
                return nil
            }
            let keeper = StoredAttachments(
                in: HeadlessStore(base: shared.files),
                copies: { () throws(StoreError) in
                    let copies = shared.place.appending(path: "b")
                    try POSIX.makeFolder(copies.path)
                    return copies
                }, now: shared.world.date.read)
            await keeper.sweep { _, _ in true }
            #expect(try await shared.outbox(.store, "b").drain().sent == 1)
            #expect(sent.withLock { $0 } == [Data("<".utf8) + bytes])
        }
    }

    @Test("that were confirmed are no longer there for a sweep that has seen them before")
    func confirmedInTime() async throws {
        try await SharedFiles.with { shared in
            let keeper = shared.keeper(.store, "a")
            var hold = try await keeper.keep([.file(try shared.clip().file, offset: 0, length: 10)], stem: "one-1")
            try await keeper.assign(&hold, to: 1)
            shared.gone.withLock { $0 = ["a"] }
            // The maker confirms while the sweep looks for the item, which it has just missed.
            await shared.keeper(.store, "b").sweep { [hold] _, _ in
                #expect((try? await keeper.confirm(hold)) == true)
                return true
            }
            #expect(try await shared.kept(.store).count == 2)
        }
    }
}

/// A store that is changed behind the back of its user before, or just after, an item is saved.
private struct SweptStore: ForwardingStore {
    let base: any CacheStore
    var isLate = false
    let sweep: @Sendable () async -> Void

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        if key.hasPrefix("item:"), !isLate { await sweep() }
        try await base.update(key, decide)
        if key.hasPrefix("item:"), isLate { await sweep() }
    }
}

/// A store whose heads of files are listed as damaged.
private struct HeadlessStore: ForwardingStore {
    let base: any CacheStore

    func contents(prefix: String) async throws(StoreError) -> StoreContents {
        var contents = try await base.contents(prefix: prefix)
        let heads = contents.entries.filter { $0.key.hasPrefix(StoredAttachments.heads) }
        contents.entries.removeAll { $0.key.hasPrefix(StoredAttachments.heads) }
        contents.damaged += heads.map { DamagedEntry(key: $0.key, place: $0.key, reason: "its checksum is wrong") }
        return contents
    }
}

/// A store that changes an item, and then says that it failed or that it does not know.
private final class LateStore: ForwardingStore {
    static let uncertain = StoreError.uncertain(operation: "save", reason: "the connection broke")
    static let unflushed = StoreError.failed(operation: "flush the folder", reason: "input/output error")

    let base: any CacheStore
    /// The errors of the next changes of items.
    private let state: Locked<(failures: [StoreError], isDark: Bool)>

    /// - Parameter isDark: true if no item can be read.
    init(base: any CacheStore, failures: [StoreError], isDark: Bool = false) {
        self.base = base
        state = Locked((failures: failures, isDark: isDark))
    }

    var failures: [StoreError] { state.withLock { $0.failures } }

    func fail(_ failures: [StoreError], isDark: Bool = false) {
        state.withLock { $0 = (failures: failures, isDark: isDark) }
    }

    func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? {
        if key.hasPrefix("item:"), state.withLock({ $0.isDark }) { throw Self.uncertain }
        return try await base.retrieve(key)
    }

    func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        try await base.update(key, decide)
        guard key.hasPrefix("item:") else { return }
        let failure: StoreError? = state.withLock { state in
            state.failures.isEmpty ? nil : state.failures.removeFirst()
        }
        if let failure { throw failure }
    }
}
