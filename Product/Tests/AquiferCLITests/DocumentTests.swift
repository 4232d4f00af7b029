import Foundation
import Testing

@testable import Aquifer
@testable import AquiferCLI

@Suite("Documents of the command line")
struct DocumentTests {
    @Test("The next try of an item is told from the present time, not from the time when it was queued")
    func retryTime() throws {
        let queued = Date(timeIntervalSince1970: 1_780_000_000)
        let tried = queued.addingTimeInterval(3 * 86_400)
        let item = Outbox.Item(
            id: Outbox.ID(number: 1), group: nil, label: "Later", key: "k", queuedAt: queued, method: .post,
            url: try #require(URL(string: "http://a.example")), length: 1, attempts: 1,
            state: .retrying(after: .noAnswer("offline"), at: tried))
        #expect(OutboxItemDocument(item, now: tried).detail.hasSuffix(" soon"))
        #expect(OutboxItemDocument(item, now: queued).detail.hasSuffix(" in 3 days"))
        #expect(OutboxItemDocument(item, now: tried).detail == item.detail(now: tried))
    }
}

@Suite("Values of options")
struct ValueTypeTests {
    @Test(
        "A host is a name, or an address as browsers write it",
        arguments: ["127.0.0.1", "::1", "0.0.0.0", "localhost", "a.example", "x1"])
    func hosts(host: String) throws {
        #expect(try Options.host.value(of: host) == host)
        #expect(try Options.host.value(of: host.uppercased()) == host)
    }

    @Test(
        "Another form of an address is none",
        arguments: ["0", "127.1", "2130706433", "0x7f000001", "1.2.3.4.5", "", "*", "a b", "127.0.0.1/x", "-"])
    func noHosts(host: String) {
        #expect(throws: CommandError.self) { try Options.host.value(of: host) }
    }
}
