import Aquifer
import AquiferPayments
import AquiferTesting
import Foundation
import Testing

@testable import App

/// Stores that replicas share, in memory; that of what each user has alone can fail.
private struct FaultyUserStores: StorePlace {
    let ofUsers = FaultyStore()
    private let others = MemoryStores()

    func store(_ kind: StoreKind) -> any CacheStore { kind == .users ? ofUsers : others.store(kind) }
}

@MainActor
@Suite("Payments of users who are away", .timeLimit(.minutes(2)))
struct UnrecordedPaymentTests {
    @Test("A user who is away stays while an outcome of a payment waits to be recorded")
    func unrecorded() async throws {
        let stores = FaultyUserStores()
        let world = try await UsersWorld(["ana", "bruno"], stores: stores)
        _ = try await world.house.rooms.room(of: try world.name("bruno"))
        let payments = try await world.house.rooms.room(of: try world.name("ana")).services.payments
        let known = try await payments.add(
            CardNumber("4539578763621486"), holder: "Ana", expiry: Expiry(month: 12, year: 2090))
        let card = try #require(try await payments.vault.card(known.id))
        let contact = try #require(try await payments.contact(1001))
        let code = try SecurityCode("123", for: known.brand)
        stores.ofUsers.fail(.update, with: .failed(operation: "save", reason: "out of reach"))
        // It may have been recorded all the same: that it was not sent is recorded later.
        await #expect(throws: PaymentError.self) {
            _ = try await payments.pay(Money(cents: 1500), to: contact, with: card, code: code)
        }
        #expect(await payments.desk.hasUnrecorded)
        await world.house.rooms.dropUnused(now: .now + UserRooms.keep + .seconds(1))
        #expect(world.house.rooms.present == ["ana"])
        stores.ofUsers.heal()
        await world.end()
    }
}
