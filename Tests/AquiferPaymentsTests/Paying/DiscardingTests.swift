import Aquifer
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

@Suite("What is kept of a payment", .timeLimit(.minutes(10)))
struct DiscardingTests {
    private func damage(_ world: PaymentsWorld, _ id: UUID) async throws {
        try await world.ledger.insert(
            StoredEntry(bytes: Data("x".utf8), savedAt: .now), for: "payment:\(id.uuidString)")
    }

    @Test("is removed when it cannot be read, and never when it can")
    func discards() async throws {
        let world = PaymentsWorld(.transaction())
        let good = try await world.desk.send(world.order())
        let (bad, ledger) = (UUID(), world.desk.ledger)
        try await damage(world, bad)
        #expect(try await ledger.discard(good.id) == .readable)
        #expect(try await ledger.discard(UUID()) == .absent)
        #expect(try await ledger.contents().unreadable.map(\.id) == [bad])
        #expect(try await ledger.discard(bad) == .discarded)
        #expect(try await ledger.discard(bad) == .absent)
        let left = try await ledger.contents()
        #expect(left.records == [good] && left.unreadable.isEmpty)
    }

    @Test("stays when the store fails, which says nothing about the record")
    func failing() async throws {
        let world = PaymentsWorld(.transaction())
        let (bad, ledger) = (UUID(), world.desk.ledger)
        try await damage(world, bad)
        world.ledger.fail(.update, with: .busy(path: "/s"))
        await #expect(throws: StoreError.busy(path: "/s")) { try await ledger.discard(bad) }
        world.ledger.heal(.update)
        #expect(try await ledger.contents().unreadable.map(\.id) == [bad])
    }
}
