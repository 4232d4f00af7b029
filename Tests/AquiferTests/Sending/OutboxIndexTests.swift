import Foundation
import Testing

@testable import Aquifer

@Suite("One outbox's view of its queue")
struct OutboxIndexTests {
    @Test("An item with the number of an earlier one of another group leaves nothing of that behind")
    func numberAgain() throws {
        var index = OutboxIndex()
        index.note(.record(try record(group: "a", key: "one")), 2)
        index.note(.record(try record(group: "b", key: "two")), 2)
        #expect(index.groups == [.named(StoreKey("b")): [2]])
        index.note(.nothing, 2)
        #expect(index.groups.isEmpty)
        index.note(.record(try record(group: "a", key: "three")), 3)
        #expect(index.first(of: .named(StoreKey("a")), skipsRefused: false) == 3)
    }

    @Test("Groups whose names are canonically equivalent are two")
    func namesByBytes() throws {
        var index = OutboxIndex()
        index.note(.record(try record(group: "caf\u{E9}", key: "one")), 2)
        index.note(.record(try record(group: "cafe\u{301}", key: "two")), 3)
        #expect(index.groups.count == 2)
    }

    @Test("An item that has changed keeps its place in its group")
    func sameItem() throws {
        var index = OutboxIndex()
        for number in [2, 3] as [UInt64] { index.note(.record(try record(group: "a", key: "key \(number)")), number) }
        index.note(.record(try record(group: "a", key: "key 2")), 2)
        #expect(index.groups == [.named(StoreKey("a")): [2, 3]])
    }

    @Test("What was read before a change, and comes after it, does not undo it")
    func olderReading() throws {
        var index = OutboxIndex()
        let old = try record(group: "a", key: "one")
        var new = try record(group: "a", key: "two")
        new.version = 2
        index.beginReading()
        let begun = index.moment
        #expect(!index.wasNoted(2, after: begun))
        index.note(.record(new), 2)
        #expect(index.wasNoted(2, after: begun) && !index.wasNoted(2, after: index.moment))
        index.note(.record(old), 2)
        #expect(index.rows[2]?.head?.key == "two")
        index.endReading()
        // An item that was queued later has the number of one that was lost.
        let other = try record(group: "b", key: "three", queued: 60)
        index.note(.record(other), 2)
        #expect(index.rows[2]?.head?.key == "three")
    }

    @Test("An item that has left says that those before it in its group are to be read again")
    func before() throws {
        var index = OutboxIndex()
        for number in [2, 3, 4] as [UInt64] { index.note(.record(try record(group: "a", key: "a\(number)")), number) }
        index.note(.record(try record(group: "b", key: "b")), 1)
        #expect(index.numbers(before: [(3, .nothing)]) == [2])
        #expect(index.numbers(before: [(4, .record(try record(group: "a", key: "a4")))]).isEmpty)
        var confirmed = try record(group: "a", key: "a4")
        confirmed.head.change = OutboxChange(kind: "notes", target: "1", bytes: Data())
        confirmed.head.change?.confirmed = .init(at: Date(timeIntervalSince1970: 1_780_000_000))
        #expect(index.numbers(before: [(4, .record(confirmed)), (2, .nothing)]) == [2, 3])
    }

    private func record(group: String, key: String, queued seconds: Double = 0) throws -> OutboxRecord {
        let url = try #require(URL(string: "http://notes.example/notes"))
        let head = OutboxRecord.Head(
            group: group, label: "", key: key, queuedAt: Date(timeIntervalSince1970: 1_780_000_000 + seconds),
            method: "POST", url: url, length: 0)
        return OutboxRecord(
            head: head, message: .init(headers: [], parts: nil, limits: .init(), followsRedirects: false))
    }
}
