import Aquifer
import AquiferConcurrency
import AquiferCrypto
import AquiferWording
import Foundation
import Testing

@testable import AquiferPayments

@Suite("An older copy of a vault", .timeLimit(.minutes(10)))
struct VaultRollbackTests {
    /// A vault from which the Visa card was removed, and then the copy that still has it was put back.
    private func rolledBack(_ place: VaultPlace) async throws -> (vault: CardVault, visa: Card) {
        let vault = place.open()
        let visa = try Cards.visa()
        try await vault.add(visa)
        try await vault.add(try Cards.mastercard())
        let older = try Data(contentsOf: place.file)
        #expect(try await vault.remove(visa.id))
        try place.overwrite(place.file, older)
        return (vault, visa)
    }

    private func error(_ place: VaultPlace, _ change: UInt64, _ last: UInt64?) -> VaultError {
        .rolledBack(path: place.file.path, change: change, last: last)
    }

    @Test("is told when it is put back, by every operation, and is left as it is")
    func told() async throws {
        try await VaultPlace.with { place in
            let (vault, visa) = try await rolledBack(place)
            let bytes = try Data(contentsOf: place.file)
            let expected = error(place, 2, 3)
            for vault in [vault, place.open()] {
                await #expect(throws: expected) { try await vault.cards() }
                await #expect(throws: expected) { try await vault.card(visa.id) }
                await #expect(throws: expected) { try await vault.add(Cards.test()) }
                await #expect(throws: expected) { try await vault.remove(visa.id) }
                await #expect(throws: expected) { try await vault.rotateKey() }
            }
            #expect(try Data(contentsOf: place.file) == bytes)
        }
    }

    @Test("is the vault once the user accepts it, and the copies before and after are old ones then")
    func accepted() async throws {
        try await VaultPlace.with { place in
            let (vault, visa) = try await rolledBack(place)
            let older = try Data(contentsOf: place.file)
            #expect(try await vault.acceptOlder())
            #expect(try await vault.card(visa.id) == visa)
            #expect(try await !vault.acceptOlder(), "it is the latest now")
            #expect(try await place.open().cards().count == 2)
            try place.overwrite(place.file, older)
            await #expect(throws: error(place, 2, 4)) { try await vault.cards() }
        }
    }

    @Test("leaves no card and no byte once the user discards it; the latest vault cannot be discarded so")
    func discarded() async throws {
        try await VaultPlace.with { place in
            let (vault, _) = try await rolledBack(place)
            let box = try Data(contentsOf: place.file).dropFirst(VaultHeader.length)
            #expect(try await vault.discardOlder())
            #expect(try await vault.cards().isEmpty)
            #expect(try place.everything().range(of: box.prefix(16)) == nil)
            try await vault.add(try Cards.mastercard())
            #expect(try await !vault.discardOlder())
            #expect(try await vault.cards().count == 1)
        }
    }

    @Test("is told after a rotation of the key, whose old key is gone, as a vault of another key")
    func rotated() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let older = try Data(contentsOf: place.file)
            try await vault.rotateKey()
            try place.overwrite(place.file, older)
            await #expect(throws: VaultError.wrongKey(path: place.file.path)) { try await vault.cards() }
        }
    }

    @Test("cannot be told from the latest without its counter: then the user decides, too", arguments: [true, false])
    func counter(isMissing: Bool) async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let counter = URL(
                fileURLWithPath: try place.keyFile().deletingPathExtension().path + ".counter")
            if isMissing {
                try FileManager.default.removeItem(at: counter)
            } else {
                let good = try Data(contentsOf: counter)
                for at in good.indices {
                    var bad = good
                    bad[at] ^= 0x10
                    try place.overwrite(counter, bad)
                    await #expect(throws: error(place, 1, nil), "byte \(at)") { try await vault.cards() }
                }
                try place.overwrite(counter, good.prefix(20))
            }
            await #expect(throws: error(place, 1, nil)) { try await vault.cards() }
            #expect(try await vault.acceptOlder())
            #expect(try await vault.cards().count == 1)
            #expect(try place.mode(counter) == 0o600)
        }
    }

    @Test(
        "is none of a vault whose writer was killed before it put the number beside the key, nor after its first change"
    )
    func killedBetween() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let counter = URL(
                fileURLWithPath: try place.keyFile().deletingPathExtension().path + ".counter")
            let before = try Data(contentsOf: counter)
            try await vault.add(try Cards.mastercard())
            let after = try Data(contentsOf: counter)
            // The vault has its second change, the counter still says one; the number that was prepared lies beside it.
            try place.overwrite(counter, before)
            try after.write(to: URL(fileURLWithPath: counter.path + ".incoming"))
            #expect(try await place.open().cards().count == 2)
            try await place.open().add(try Cards.test())
            #expect(try await place.open().cards().count == 3)
            #expect(try Data(contentsOf: counter)[15] == 3)
            #expect(try place.names(place.keys).filter { $0.hasSuffix(".incoming") }.isEmpty)
        }
    }

    @Test("is told once anybody has looked at the vault of a writer that was killed before it put the number in place")
    func killedThenLookedAt() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            let visa = try Cards.visa()
            try await vault.add(visa)
            let counter = URL(fileURLWithPath: try place.keyFile().deletingPathExtension().path + ".counter")
            let (older, number) = (try Data(contentsOf: place.file), try Data(contentsOf: counter))
            #expect(try await vault.remove(visa.id))
            try place.overwrite(counter, number)
            #expect(try await place.open().cards().isEmpty)
            try place.overwrite(place.file, older)
            await #expect(throws: error(place, 1, 2)) { try await place.open().cards() }
        }
    }

    @Test("is not seen in a vault that is changed between the reading of the vault and of its counter")
    func changedWhileReading() async throws {
        try await VaultPlace.with { place in
            try await place.open().add(try Cards.visa())
            let writer = VaultStorage(
                folder: PrivateFolder(path: place.folder.path), keys: PrivateFolder(path: place.keys.path),
                patience: .seconds(5), makeID: { UUID() })
            let rounds = Locked(0)
            var reader = writer
            reader.betweenReads = {
                let isEarly = rounds.withLock { rounds in
                    rounds += 1
                    return rounds <= 3
                }
                guard isEarly else { return }
                #expect(throws: Never.self) { try writer.update(isMaking: false) { _ in true } }
            }
            #expect(try reader.load()?.cards.count == 1)
            #expect(rounds.withLock { $0 } == 4)
        }
    }

    @Test("says in one line what it is and what can be done, and in both languages what the user has to decide")
    func descriptions() {
        let known = VaultError.rolledBack(path: "/v", change: 2, last: 3)
        let unknown = VaultError.rolledBack(path: "/v", change: 2, last: nil)
        for error in [known, unknown] {
            #expect(
                error.description.hasSuffix(
                    "or decide whether to keep \(error == known ? "its" : "the") cards or to remove them all"))
            #expect(error.message(in: .english) != error.message(in: .brazilianPortuguese))
        }
        #expect(known.description != unknown.description)
    }
}
