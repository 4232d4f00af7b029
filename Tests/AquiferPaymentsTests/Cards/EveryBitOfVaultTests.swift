import Aquifer
import EveryBit
import Foundation
import Testing

@testable import AquiferPayments

/// Every bit and every length of the files of the card vault, and of the payments.
@Suite("Each bit flipped and each length cut, in the card vault and the payments", .timeLimit(.minutes(60)))
struct EveryBitOfVaultTests {
    @Test("cards, key, counter or mark: its error or the cards; a card is added only to cards that can be read")
    func vault() async throws {
        try await Fixture.withFolder { root in
            let place = VaultPlace(root: root)
            for card in [try Cards.visa(), try Cards.mastercard()] { try await place.open().add(card) }
            let cards = try await place.open().cards()
            let fixture = try Fixture(root)
            for path in fixture.paths where !path.hasSuffix("lock") {
                let name = path.hasPrefix("keys/") ? "keys/ID.\(path.split(separator: ".")[1])" : path
                // A damaged mark is written anew by the next change of a vault that can be read.
                let sweep = try await Sweep(
                    "Vault: \(name)", path, of: fixture, limit: 200, mayChange: path.hasSuffix("cards.mark")
                ) { _ in await Self.verdict(place, cards) }
                #expect(sweep.wrong.isEmpty, "\(sweep)")
            }
        }
    }

    private static func verdict(_ place: VaultPlace, _ cards: [CardSummary]) async -> Verdict {
        do throws(VaultError) {
            let found = try await place.open().cards()
            return found == cards ? .unchanged : .wrong("the cards are \(found)")
        } catch {
            let told = Verdict.told(kind(error))
            // A card may not be put into a vault, or in the place of one, that cannot be read.
            do {
                try await place.open().add(try Cards.test())
                return .wrong("a card was added")
            } catch is VaultError { return told } catch { return .wrong("\(error)") }
        }
    }

    private static func kind(_ error: VaultError) -> String {
        switch error {
        case .missingKey, .missingSharedKey: "missingKey"
        case .wrongKey, .foreignSharedKey: "wrongKey"
        case .damaged: "damaged"
        case .rolledBack: "rolledBack"
        case .lost: "lost"
        case .otherVersion: "otherVersion"
        case .tooOpen: "tooOpen"
        case .full, .readOnly, .busy, .failed, .sharedKeyStays: "failed"
        }
    }

    @Test("a payment: it is listed as it was or as unreadable, and the others are listed")
    func payments() async throws {
        try await Fixture.withFolder { root in
            let world = PaymentsWorld(.failure(.init(.cannotConnect)))
            let ledger = PaymentLedger(try FileStore(directory: root))
            var records: [PaymentRecord] = []
            for cents in [100, 200] {
                let record = PaymentRecord(
                    try world.order(cents), at: Date(timeIntervalSince1970: 1_780_000_000), server: world.desk.server)
                try await ledger.change(record.id) { _ in record }
                records.append(record)
            }
            let fixture = try Fixture(root)
            for path in fixture.paths.filter({ $0.hasPrefix("payment") }).prefix(1) {
                let sweep = try await Sweep("Payments: an entry", path, of: fixture, limit: 200) { _ in
                    do throws(StoreError) {
                        let contents = try await PaymentLedger(try FileStore(directory: root)).contents()
                        guard Set(contents.records).isSubset(of: records) else { return .wrong("\(contents.records)") }
                        guard contents.records.count + contents.unreadable.count == 2 else {
                            return .wrong("a payment is missing")
                        }
                        return contents.unreadable.isEmpty ? .unchanged : .told("unreadable")
                    } catch { return .told(error) }
                }
                #expect(sweep.wrong.isEmpty, "\(sweep)")
            }
        }
    }
}
