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
        #expect(index.groups == [.named("b"): [2]])
        index.note(.nothing, 2)
        #expect(index.groups.isEmpty)
        index.note(.record(try record(group: "a", key: "three")), 3)
        #expect(index.first(of: .named("a"), skipsRefused: false) == 3)
    }

    @Test("An item that has changed keeps its place in its group")
    func sameItem() throws {
        var index = OutboxIndex()
        for number in [2, 3] as [UInt64] { index.note(.record(try record(group: "a", key: "key \(number)")), number) }
        index.note(.record(try record(group: "a", key: "key 2")), 2)
        #expect(index.groups == [.named("a"): [2, 3]])
    }

    private func record(group: String, key: String) throws -> OutboxRecord {
        let url = try #require(URL(string: "http://notes.example/notes"))
        let head = OutboxRecord.Head(
            group: group, label: "", key: key, queuedAt: Date(timeIntervalSince1970: 1_780_000_000), method: "POST",
            url: url, length: 0)
        return OutboxRecord(head: head, message: .init(headers: [], parts: nil, limits: .init()))
    }
}
