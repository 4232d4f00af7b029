import Aquifer
import Foundation
import Testing

@testable import AquiferPayments

@Suite("CardVault", .timeLimit(.minutes(10)))
struct CardVaultTests {
    @Test("is empty, and makes nothing, before the first card is added")
    func empty() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            #expect(try await vault.cards().isEmpty)
            #expect(try await vault.card(UUID()) == nil)
            #expect(try await !vault.remove(UUID()))
            try await vault.rotateKey()
            #expect(try place.names(place.root).isEmpty)
        }
    }

    @Test("gives back the cards that were added, in their order, also to the next process")
    func keeps() async throws {
        try await VaultPlace.with { place in
            let cards = [try Cards.visa(), try Cards.mastercard(), try Cards.test()]
            let vault = place.open()
            for card in cards { try await vault.add(card) }
            for vault in [vault, place.open()] {
                #expect(try await vault.cards() == cards.map(\.summary))
                for card in cards { #expect(try await vault.card(card.id) == card) }
                #expect(try await vault.card(UUID()) == nil)
            }
        }
    }

    @Test("has nothing to watch before it has a folder")
    func unwatched() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            #expect(vault.observe {} == nil)
            try await vault.add(try Cards.visa())
            let observation: StoreObservation? = vault.observe {}
            #expect(observation != nil)
            observation?.cancel()
        }
    }

    @Test("keeps one card of an id, and one of a number")
    func replaces() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            let first = try Cards.visa()
            let second = try Cards.mastercard()
            try await vault.add(first)
            try await vault.add(second)
            let renewed = Card(number: first.number, holder: "Ana Lima", expiry: Expiry(month: 2, year: 2035))
            try await vault.add(renewed)
            #expect(try await vault.cards() == [renewed.summary, second.summary])
            let changed = Card(
                id: second.id, number: try CardNumber("378282246310005"), holder: "J", expiry: second.expiry)
            try await vault.add(changed)
            #expect(try await vault.cards() == [renewed.summary, changed.summary])
        }
    }

    @Test("has files of mode 0600 in folders of mode 0700, the key apart from the cards")
    func modes() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            try await vault.rotateKey()
            for folder in [place.folder, place.keys] {
                #expect(try place.mode(folder) == 0o700)
                for name in try place.names(folder) {
                    #expect(try place.mode(folder.appendingPathComponent(name)) == 0o600, "\(name)")
                }
            }
            #expect(try place.names(place.folder) == ["cards.mark", "cards.vault", "lock"])
            #expect(try place.names(place.keys).filter { $0.hasSuffix(".key") }.count == 1)
        }
    }

    @Test("writes no number, holder or expiry that can be read")
    func unreadable() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            let card = try Cards.visa()
            try await vault.add(card)
            try await vault.add(try Cards.mastercard())
            let bytes = try place.everything()
            for secret in [Numbers.visa, "5555555555554444", "Ana", "4444", "2030", card.id.uuidString] {
                #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret)")
            }
        }
    }

    @Test("forgets a removed card and keeps the others")
    func removes() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            let visa = try Cards.visa()
            let other = try Cards.mastercard()
            try await vault.add(visa)
            try await vault.add(other)
            #expect(try await vault.remove(visa.id))
            #expect(try await !vault.remove(visa.id))
            #expect(try await vault.cards() == [other.summary])
            #expect(try await vault.remove(other.id))
            #expect(try await place.open().cards().isEmpty)
        }
    }

    @Test("leaves no byte of a removed card: the file that had it is overwritten, too")
    func overwrites() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            let card = try Cards.visa()
            try await vault.add(card)
            let before = try Data(contentsOf: place.file)
            // Held open, the old file can be looked at after it has lost its name.
            let old = try FileHandle(forReadingFrom: place.file)
            #expect(try await vault.remove(card.id))
            let after = try #require(try old.readToEnd())
            #expect(after == Data(count: before.count))
            let box = before.dropFirst(52)
            #expect(try place.everything().range(of: box.prefix(16)) == nil)
        }
    }

    @Test("leaves a copy alone that someone made with a link")
    func linkedCopy() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            let card = try Cards.visa()
            try await vault.add(card)
            let copy = place.root.appendingPathComponent("copy")
            try FileManager.default.linkItem(at: place.file, to: copy)
            let before = try Data(contentsOf: copy)
            #expect(try await vault.remove(card.id))
            #expect(try Data(contentsOf: copy) == before)
        }
    }

    @Test("has a new key after a rotation, and nothing of the old one")
    func rotation() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            let cards = [try Cards.visa(), try Cards.mastercard()]
            for card in cards { try await vault.add(card) }
            let keyFile = try place.keyFile()
            let before = try Data(contentsOf: keyFile)
            let old = try FileHandle(forReadingFrom: keyFile)
            try await vault.rotateKey()
            let after = try Data(contentsOf: keyFile)
            #expect(after.count == before.count && after != before)
            let key = before[9..<41]
            #expect(try place.everything().range(of: key) == nil)
            #expect(try old.readToEnd() == Data(count: before.count))
            #expect(try await place.open().cards() == cards.map(\.summary))
            try await vault.rotateKey()
            #expect(try await place.open().cards() == cards.map(\.summary))
        }
    }

    @Test("loses nothing when many tasks and vaults change it at once")
    func concurrent() async throws {
        try await VaultPlace.with { place in
            let vaults = [place.open(), place.open(), place.open()]
            let cards = (0..<30).map { at in
                Card(
                    number: try? CardNumber(Numbers.valid("4\(100 + at)", length: 16)), holder: "A",
                    expiry: Expiry(month: 1, year: 2030))
            }.compactMap { $0 }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (at, card) in cards.enumerated() {
                    let vault = vaults[at % 3]
                    group.addTask {
                        try await vault.add(card)
                        if at.isMultiple(of: 5) { try await vault.rotateKey() }
                        let found = try await vaults[(at + 1) % 3].card(card.id)
                        #expect(found == card)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await Set(place.open().cards()) == Set(cards.map(\.summary)))
        }
    }
}

extension Card {
    fileprivate init?(number: CardNumber?, holder: String, expiry: Expiry) {
        guard let number else { return nil }
        self.init(number: number, holder: holder, expiry: expiry)
    }
}
