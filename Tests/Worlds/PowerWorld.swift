import Aquifer
import AquiferPayments
import AquiferTesting
import Foundation

/// A process makes one promise, and the power is lost right after it was acknowledged. The next start finds it kept.
///
/// Nothing else goes wrong, so that a flush that is left out is seen in a few seeds.
enum PowerWorld {
    private static let url = URL(string: "http://files.example/film")

    @Sendable static func run(_ world: Simulation) async throws {
        world.limits = .init(steps: 100_000, time: .seconds(24 * 3600))
        WorldStore.database.prepare(world)
        let server = FilesServer(world, files: ["film"])
        world.network.serve("files.example") { await server.answer($0) }
        let promise = Promise(world)
        let process = world.process("app") { process in
            guard let isKept = promise.isKept else {
                promise.isKept = try await makers[world.random.int(in: 0...makers.count - 1)](process)
                while true { try await world.clock.sleep(for: .seconds(3600)) }
            }
            try await isKept(process)
        }
        process.isMortal = true
        while promise.isKept == nil { try await world.clock.sleep(for: .milliseconds(10)) }
        world.faults.losePower()
        await process.waitUntilEnded()
    }

    /// The files that the process looks at after its next start.
    typealias Check = @Sendable (SimulatedProcess) async throws -> Void

    private final class Promise: @unchecked Sendable {
        // One thread at a time runs in a simulation.
        let world: Simulation
        var isKept: Check?

        init(_ world: Simulation) { self.world = world }
    }

    /// Each makes a promise, and returns what looks whether it was kept.
    private static let makers: [@Sendable (SimulatedProcess) async throws -> Check] = [
        { try await entries($0, in: .files) }, { try await entries($0, in: .database) }, download, attachment, cards,
    ]

    private static func folder(_ name: String) -> URL { URL(fileURLWithPath: "/disk/\(name)", isDirectory: true) }

    /// Entries that were saved, replaced or deleted.
    private static func entries(_ process: SimulatedProcess, in stores: WorldStore) async throws -> Check {
        let random = process.random
        let store = try stores.open("store", survives: .power)
        var entries: [String: StoredEntry] = [:]
        for number in 0...random.int(in: 0...3) {
            let key = "key\(random.int(in: 0...1))"
            if random.chance(0.3) {
                try await store.delete(key)
                entries[key] = nil
            } else {
                let bytes = Data(repeating: UInt8(number), count: random.int(in: 1...9000))
                let askAt = random.chance(0.5) ? process.now() : nil
                let entry = StoredEntry(bytes: bytes, savedAt: process.now(), asking: .init(askAt: askAt))
                try await store.insert(entry, for: key)
                entries[key] = entry
            }
        }
        return { [entries] process in
            // Without its mark, a database that is missing later would be taken for a new one.
            let mark = process.world.disk.read(StoreError.mark(of: "/disk/store.sqlite"))
            process.world.expect(stores == .files || mark?.isEmpty == false, "the database has no mark")
            let store = try stores.open("store", survives: .power)
            for key in ["key0", "key1"] {
                let found = try? await store.retrieve(key)  // unreadable is lost, too
                process.world.expect(found == entries[key], "\(key) is not what was acknowledged")
            }
            let listed = try await store.contents().entries.map(\.key).sorted()
            process.world.expect(listed == entries.keys.sorted(), "the list has \(listed)")
        }
    }

    /// A file that was delivered, which is flushed before or soon after, and its pin.
    private static func download(_ process: SimulatedProcess) async throws -> Check {
        guard let url else { return { _ in } }
        let random = process.random
        let isBefore = random.chance(0.5)
        let open = { @Sendable (process: SimulatedProcess) in
            try Downloads(
                directory: folder("files"), client: process.client, durability: isBefore ? .power : .process,
                clock: process.world.clock, now: process.now)
        }
        let downloads = try open(process)
        let isPinned = random.chance(0.5)
        if isPinned { try await downloads.pin(url) }
        let file = try await downloads.file(for: url)
        let bytes = try await file.read(0..<file.length)
        if !isBefore { try await process.world.clock.sleep(for: .seconds(5)) }
        return { process in
            let downloads = try open(process)
            let found = try? await downloads.saved(url)  // unreadable is lost, too
            let left = try? await found?.read(0..<bytes.count)  // as above
            process.world.expect(left == bytes, "the file that was delivered is gone")
            let pins = try await downloads.list().map(\.isPinned)
            process.world.expect(pins == [isPinned], "the list has \(pins)")
        }
    }

    /// A queued request with a file, whose original is gone.
    private static func attachment(_ process: SimulatedProcess) async throws -> Check {
        guard let url else { return { _ in } }
        let world = process.world
        let clip = Data((0..<process.random.int(in: 1...100_000)).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        world.disk.write(clip, to: "/disk/clip")
        let open = { @Sendable (process: SimulatedProcess) in
            Outbox(
                in: try FileStore(directory: folder("outbox")), attachments: folder("attachments"),
                client: process.client, policy: SendPolicy(clock: process.world.clock, now: process.now))
        }
        let part = HTTPBody.Part.file(URL(fileURLWithPath: "/disk/clip"), offset: 0, length: UInt64(clip.count))
        try await open(process).enqueue(HTTPRequest(.post, url, body: HTTPBody(parts: [part])))
        return { process in
            let outbox = try open(process)
            let count = try await outbox.items().count
            process.world.expect(count == 1, "\(count) items are in the outbox")
            // An outbox looks for a copy in the real file system: here, the disk is asked.
            let disk = process.world.disk
            let copies = disk.paths.filter {
                $0.hasPrefix("/disk/attachments/") && !$0.hasPrefix("/disk/attachments/new")
            }
            process.world.expect(copies.compactMap(disk.read) == [clip], "the item has the files \(copies)")
        }
    }

    /// Cards that were added and removed, and a key that was changed.
    private static func cards(_ process: SimulatedProcess) async throws -> Check {
        let random = process.random
        let open = { @Sendable in CardVault(directory: folder("vault"), keys: folder("keys")) }
        let vault = open()
        var numbers: [UUID: CardNumber] = [:]
        let all = try ["4111111111111111", "5555555555554444", "4012888888881881"].map { try CardNumber($0) }
        for number in all.prefix(random.int(in: 1...3)) {
            let card = Card(
                id: random.uuid(), number: number, holder: "M", expiry: Expiry(month: 12, year: 2090))
            try await vault.add(card)
            numbers[card.id] = number
        }
        if random.chance(0.3), let first = numbers.keys.min(by: { $0.uuidString < $1.uuidString }) {
            _ = try await vault.remove(first)
            numbers[first] = nil
        }
        if random.chance(0.3) { try await vault.rotateKey() }
        return { [numbers] process in
            do {
                let vault = open()
                let listed = try await vault.cards().map(\.id.uuidString).sorted()
                process.world.expect(listed == numbers.keys.map(\.uuidString).sorted(), "the cards are \(listed)")
                for (id, number) in numbers {
                    let found = try await vault.card(id)
                    process.world.expect(found?.number == number, "a card is another")
                }
            } catch { process.world.expect(false, "the cards cannot be read: \(error)") }
        }
    }
}
