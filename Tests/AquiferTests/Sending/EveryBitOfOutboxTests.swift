import Aquifer
import AquiferConcurrency
import AquiferTesting
import EveryBit
import Foundation
import Testing

/// Every bit and every length of the files of an outbox: items, counter, attachments.
@Suite("Each bit flipped and each length cut, in an outbox", .timeLimit(.minutes(60)))
struct EveryBitOfOutboxTests {
    private static let sound = Data((0..<300).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    /// The places of the outbox's own files.
    private struct Place {
        let root: URL
        var store: URL { root.appendingPathComponent("items") }
        var files: URL { root.appendingPathComponent("files") }

        func world() throws(StoreError) -> OutboxWorld { OutboxWorld(store: try FileStore(directory: store)) }
    }

    /// Three items: a note, a clip with a file behind it, and a note of another group.
    private static func fixture(_ place: Place) async throws -> Fixture {
        let world = try place.world()
        let outbox = world.outbox(attachments: place.files)
        let original = place.root.appendingPathComponent("clip.mp3")
        try sound.write(to: original)
        try await outbox.enqueue(world.note("one"), group: "g", label: "one")
        let body = HTTPBody(parts: [.bytes(Data("<".utf8)), .file(original, offset: 0, length: 300)])
        try await outbox.enqueue(HTTPRequest(.post, world.url, body: body), group: "g", label: "clip")
        try await outbox.enqueue(world.note("three"), group: "h", label: "three")
        try FileManager.default.removeItem(at: original)
        return try Fixture(place.root)
    }

    /// The bodies of the items, by their labels.
    private static let bodies = ["one": Data("one".utf8), "clip": Data("<".utf8) + sound, "three": Data("three".utf8)]

    /// Lists, queues another item, and sends.
    private static func verdict(_ place: Place) async -> Verdict {
        do {
            let world = try place.world()
            let sent = Locked([Data]())
            world.server.rule { _, request in
                sent.withLock { $0.append(request.wholeBody) }
                return nil
            }
            let outbox = world.outbox(attachments: place.files)
            let items = try await outbox.items()
            var verdict = Verdict.unchanged
            guard items.map(\.id.number) == [1, 2, 3] else { return .wrong("the list is \(items.map(\.id))") }
            for (item, label) in zip(items, ["one", "clip", "three"]) {
                if case .damaged = item.state {
                    verdict = .told("listed as damaged")
                } else if item.label != label {
                    return .wrong("item \(item.id) is \(item.label)")
                }
            }
            let new = try await outbox.enqueue(world.note("new"), label: "new")
            guard new.id.number > 3 else { return .wrong("the number \(new.id) is given out again") }
            _ = try await outbox.drain()
            let good = Set(bodies.values).union([Data("new".utf8)])
            guard sent.withLock({ good.isSuperset(of: $0) }) else { return .wrong("something else was sent") }
            let left = try await outbox.items()
            let gone = bodies.filter { !sent.withLock { $0 }.contains($0.value) }
            // What was not sent is still listed, as damaged, as refused, or waiting behind such an item.
            guard left.count == gone.count else {
                return .wrong("\(gone.keys) were not sent, and \(left.count) are left")
            }
            for item in left {
                switch item.state {
                case .refused: verdict = .told("refused")
                case .damaged, .waiting: continue
                default: return .wrong("\(item.state)")
                }
            }
            if verdict == .unchanged, !left.isEmpty { return .wrong("something is left: \(left)") }
            if verdict == .unchanged, let notice = outbox.notices.first {
                return .told("notice: \("\(notice)".prefix { $0 != "," && $0 != ";" })")
            }
            return verdict
        } catch let error as StoreError { return .told(error) } catch OutboxError.store(let error) {
            return .told(error)
        } catch { return .wrong("\(error)") }
    }

    @Test(
        "an item, the counter or an attachment: it is told, the others are sent as they were, and no number is given twice"
    )
    func every() async throws {
        try await Fixture.withFolder { root in
            let place = Place(root: root)
            let fixture = try await Self.fixture(place)
            for path in fixture.paths where !path.hasSuffix(".lock") {
                let name = path.hasPrefix("files/") ? "attachment" : String(path.dropFirst("items/".count))
                // A damaged counter is made anew above all items, and told. What was sent is deleted.
                let sweep = try await Sweep("Outbox: \(name)", path, of: fixture, limit: 10, mayChange: true) { _ in
                    await Self.verdict(place)
                }
                #expect(sweep.wrong.isEmpty, "\(sweep)")
            }
        }
    }
}
