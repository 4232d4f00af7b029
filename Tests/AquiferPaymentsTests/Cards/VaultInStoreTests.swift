import Aquifer
import AquiferConcurrency
import AquiferTesting
import Foundation
import Testing

@testable import AquiferPayments

/// Machines with a folder of keys each, over one store.
private struct Machines {
    let place: VaultPlace
    let store: any CacheStore
    let facts: any CacheStore

    static func with<Value>(
        _ store: any CacheStore = RepeatingStore(), _ use: (Machines) async throws -> Value
    ) async throws -> Value {
        try await VaultPlace.with { try await use(Machines(place: $0, store: store, facts: RepeatingStore())) }
    }

    func keys(_ machine: String) -> URL { place.root.appendingPathComponent("keys-\(machine)") }

    func ring(_ machine: String = "a") -> KeyRing { KeyRing(folder: keys(machine), facts: facts) }

    func vault(_ machine: String = "a", of owner: String = "user/ana", in store: (any CacheStore)? = nil) -> CardVault {
        CardVault(in: store ?? self.store, sealedWith: ring(machine), of: owner)
    }

    /// Copies the key of a machine to another one, as an operator does.
    func copyKey(from one: String = "a", to other: String) throws {
        try FileManager.default.createDirectory(
            at: keys(other), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for name in try place.names(keys(one)) where name.hasSuffix(".key") {
            let target = keys(other).appendingPathComponent(name)
            try FileManager.default.copyItem(at: keys(one).appendingPathComponent(name), to: target)
        }
    }

    func entry() async throws -> StoredEntry { try #require(try await store.retrieve("cards")) }
}

@Suite("CardVault in a store that machines share", .timeLimit(.minutes(10)))
struct VaultInStoreTests {
    @Test("is empty, and makes nothing, before the first card is added")
    func empty() async throws {
        try await Machines.with { machines in
            let vault = machines.vault()
            let cards = try await vault.cards()
            #expect(cards.isEmpty)
            #expect(try await vault.card(UUID()) == nil)
            #expect(try await !vault.remove(UUID()))
            #expect(try await !vault.acceptOlder())
            #expect(try await !vault.discardOlder())
            #expect(try machines.place.names(machines.place.root).isEmpty)
            #expect(try await machines.store.contents().entries.isEmpty)
        }
    }

    @Test("gives back the cards that were added to each machine that has the key")
    func keeps() async throws {
        try await Machines.with { machines in
            let cards = [try Cards.visa(), try Cards.mastercard()]
            for card in cards { try await machines.vault().add(card) }
            try machines.copyKey(to: "b")
            #expect(try await machines.vault("b").cards() == cards.map(\.summary))
            #expect(try await machines.vault("b").card(cards[0].id) == cards[0])
            #expect(try await machines.vault("b").remove(cards[0].id))
            #expect(try await machines.vault().cards() == [cards[1].summary])
        }
    }

    @Test("loses no card of those that two machines add at once")
    func atOnce() async throws {
        try await Machines.with { machines in
            try await machines.ring().prepare()
            try machines.copyKey(to: "b")
            let (a, b) = (machines.vault("a"), machines.vault("b"))
            let cards = try (0..<12).map { number in
                Card(
                    number: try CardNumber(Numbers.valid("40128888888\(10 + number)", length: 16)), holder: "Ana",
                    expiry: Expiry(month: 1, year: 2030))
            }
            try await withThrowingTaskGroup { group in
                for (index, card) in cards.enumerated() {
                    group.addTask { try await (index.isMultiple(of: 2) ? a : b).add(card) }
                }
                try await group.waitForAll()
            }
            #expect(Set(try await a.cards().map(\.id)) == Set(cards.map(\.id)))
            #expect(try await a.cards() == b.cards())
        }
    }

    @Test("is an error without the key, and with another one in its place: never an empty list, never written over")
    func wrongKey() async throws {
        try await Machines.with { machines in
            try await machines.vault().add(try Cards.visa())
            let before = try await machines.entry()
            let name = try #require(try machines.place.names(machines.keys("a")).first { $0.hasSuffix(".key") })
            let missing = VaultError.missingSharedKey(path: machines.keys("b").appendingPathComponent(name).path)
            let vault = machines.vault("b")
            await #expect(throws: missing) { try await vault.cards() }
            await #expect(throws: missing) { try await vault.add(try Cards.mastercard()) }
            await #expect(throws: missing) { try await machines.ring("b").prepare() }
            // The key of another service.
            try await Machines.with { others in
                try await others.ring().prepare()
                let key = try #require(try others.place.names(others.keys("a")).first { $0.hasSuffix(".key") })
                try machines.copyKey(to: "b")
                let target = machines.keys("b").appendingPathComponent(name)
                try machines.place.overwrite(target, Data(contentsOf: others.keys("a").appendingPathComponent(key)))
                let foreign = VaultError.foreignSharedKey(path: target.path)
                await #expect(throws: foreign) { try await vault.cards() }
                await #expect(throws: foreign) { try await vault.add(try Cards.mastercard()) }
                await #expect(throws: foreign) { try await vault.discardOlder() }
            }
            #expect(try await machines.entry() == before)
            #expect(try await machines.vault().cards().count == 1)
        }
    }

    @Test("has one key, also when machines ask for it at once, and the key of the slower one is deleted")
    func oneKey() async throws {
        try await Machines.with { machines in
            let outcomes = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        do { try await machines.ring("\(number)").prepare() } catch VaultError.missingSharedKey {
                            return false
                        } catch {
                            Issue.record("\(error)")
                        }
                        return true
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(outcomes.count(where: \.self) == 1)
            let keys = try (0..<6).flatMap {
                try machines.place.names(machines.keys("\($0)")).filter { $0.hasSuffix(".key") }
            }
            #expect(keys.count == 1)
        }
    }

    @Test("does not open in the place of another user's, nor under another name")
    func swapped() async throws {
        try await Machines.with { machines in
            let other = MemoryStore()
            try await machines.vault().add(try Cards.visa())
            try await machines.vault(of: "user/bruno", in: other).add(try Cards.mastercard())
            let stolen = try await machines.entry()
            try await other.insert(stolen, for: "cards")
            let bruno = machines.vault(of: "user/bruno", in: other)
            await #expect(throws: VaultError.damaged(path: "the vault in the shared store")) { try await bruno.cards() }
            await #expect(throws: VaultError.self) { try await bruno.add(try Cards.test()) }
            #expect(try await other.retrieve("cards") == stolen)
        }
    }

    @Test("is damaged whichever byte was changed, and wherever it is cut, and is then not written over")
    func damage() async throws {
        try await Machines.with { machines in
            try await machines.vault().add(try Cards.visa())
            let good = try await machines.entry()
            for place in good.bytes.indices {
                var bad = good
                bad.bytes[place] ^= 1
                try await machines.store.insert(bad, for: "cards")
                await #expect(throws: VaultError.self, "byte \(place)") { try await machines.vault().cards() }
            }
            for count in stride(from: 0, to: good.bytes.count, by: 7) {
                var cut = good
                cut.bytes = good.bytes.prefix(count)
                try await machines.store.insert(cut, for: "cards")
                await #expect(throws: VaultError.self, "cut at \(count)") {
                    try await machines.vault().add(try Cards.test())
                }
                #expect(try await machines.entry() == cut)
            }
        }
    }

    @Test("that is an older copy is told by a machine that has seen a later one, until its user decides")
    func older() async throws {
        try await Machines.with { machines in
            let card = try Cards.visa()
            let vault = machines.vault()
            try await vault.add(card)
            let old = try await machines.entry()
            _ = try await vault.remove(card.id)
            try await machines.store.insert(old, for: "cards")
            let rolledBack = VaultError.rolledBack(path: "the vault in the shared store", change: 1, last: 2)
            await #expect(throws: rolledBack) { try await vault.cards() }
            await #expect(throws: rolledBack) { try await vault.add(try Cards.mastercard()) }
            #expect(try await machines.entry() == old)
            #expect(try await vault.discardOlder())
            #expect(try await vault.cards().isEmpty)
            try await machines.store.insert(old, for: "cards")
            #expect(try await vault.acceptOlder())
            #expect(try await vault.cards() == [card.summary])
            #expect(try await !vault.acceptOlder())
        }
    }

    @Test("may be an older copy where the note of its last change is damaged, until its user decides")
    func damagedNote() async throws {
        try await Machines.with { machines in
            let card = try Cards.visa()
            try await machines.vault().add(card)
            let names = try machines.place.names(machines.keys("a")).filter { $0.hasSuffix(".counter") }
            let note = machines.keys("a").appendingPathComponent(try #require(names.first))
            try machines.place.overwrite(note, Data("damaged".utf8))
            let doubtful = VaultError.rolledBack(path: "the vault in the shared store", change: 1, last: nil)
            await #expect(throws: doubtful) { try await machines.vault().cards() }
            await #expect(throws: doubtful) { try await machines.vault().add(try Cards.mastercard()) }
            #expect(try await machines.vault().acceptOlder())
            #expect(try await machines.vault().cards() == [card.summary])
            try await machines.vault().add(try Cards.mastercard())
            #expect(try await machines.vault().cards().count == 2)
        }
    }

    @Test("gets no new key when the note of its key is gone from the store")
    func lostNote() async throws {
        try await Machines.with { machines in
            try await machines.ring().prepare()
            try await machines.vault().add(try Cards.visa())
            let note = try #require(try await machines.facts.retrieve("sealing-key"))
            try await machines.facts.delete("sealing-key")
            let before = try machines.place.names(machines.keys("a"))
            let gone = VaultError.damaged(path: "the note of the key in the shared store")
            await #expect(throws: gone) { try await machines.vault().cards() }
            await #expect(throws: gone) { try await machines.ring().prepare() }
            #expect(try machines.place.names(machines.keys("a")) == before)
            #expect(try await machines.facts.retrieve("sealing-key") == nil)
            try await machines.facts.insert(note, for: "sealing-key")
            #expect(try await machines.vault().cards().count == 1)
        }
    }

    @Test("is not accepted where its number cannot be noted, and says so")
    func acceptedInVain() async throws {
        try await Machines.with { machines in
            try await machines.vault().add(try Cards.visa())
            let names = try machines.place.names(machines.keys("a")).filter { $0.hasSuffix(".counter") }
            let note = machines.keys("a").appendingPathComponent(try #require(names.first))
            try FileManager.default.removeItem(at: note)
            try FileManager.default.createDirectory(at: note, withIntermediateDirectories: false)
            await #expect(throws: VaultError.self) { try await machines.vault().acceptOlder() }
            await #expect(throws: VaultError.self) { try await machines.vault().cards() }
        }
    }

    @Test("can be used by a machine that may not write beside its key")
    func readOnlyKeys() async throws {
        try await Machines.with { machines in
            try await machines.vault().add(try Cards.visa())
            try machines.copyKey(to: "b")
            // Nobody can take the lock of this folder, whatever the rights of whoever runs the test.
            try FileManager.default.createDirectory(
                at: machines.keys("b").appendingPathComponent("lock"), withIntermediateDirectories: false)
            #expect(try await machines.vault("b").cards().count == 1)
            try await machines.vault("b").add(try Cards.mastercard())
            #expect(try await machines.vault().cards().count == 2)
        }
    }

    @Test("keeps no digit, holder or security code readable, in the store or in the folders of the keys")
    func secret() async throws {
        try await Machines.with { machines in
            try await machines.vault().add(try Cards.visa())
            let all = try await machines.entry().bytes + machines.place.everything()
            for words in [Numbers.visa, "Ana Souza", "1111", "2030"] { #expect(all.range(of: Data(words.utf8)) == nil) }
        }
    }

    @Test("keeps its key, and says so")
    func rotation() async throws {
        try await Machines.with { machines in
            try await machines.vault().add(try Cards.visa())
            await #expect(throws: VaultError.sharedKeyStays) { try await machines.vault().rotateKey() }
            #expect(try await machines.vault().cards().count == 1)
        }
    }

    @Test("tells of a change that another machine has made")
    func told() async throws {
        try await Machines.with { machines in
            let changed = Locked(0)
            let observation = machines.vault().observe { changed.withLock { $0 += 1 } }
            try await machines.vault().add(try Cards.visa())
            #expect(changed.withLock(\.self) == 1)
            observation?.cancel()
        }
    }

    @Test("whose store fails is an error, and no vault without cards")
    func failing() async throws {
        let store = FaultyStore(RepeatingStore())
        try await Machines.with(store) { machines in
            try await machines.vault().add(try Cards.visa())
            store.fail(.retrieve, with: .failed(operation: "read", reason: "out of reach"))
            await #expect(throws: VaultError.self) { try await machines.vault().cards() }
        }
    }
}

@Suite("KeyRing", .timeLimit(.minutes(10)))
struct KeyRingTests {
    @Test("opens what it has sealed under the same name, and nothing else")
    func names() async throws {
        try await Machines.with { machines in
            let ring = machines.ring()
            let box = try await ring.seal(Data("secret".utf8), as: "drive of ana")
            #expect(try await ring.open(box, as: "drive of ana") == Data("secret".utf8))
            await #expect(throws: VaultError.self) { try await ring.open(box, as: "drive of bruno") }
            await #expect(throws: VaultError.self) { try await ring.open(box.dropLast(), as: "drive of ana") }
        }
    }

    @Test("makes no second key when the note of the first one is damaged")
    func damagedNote() async throws {
        try await Machines.with { machines in
            try await machines.ring().prepare()
            var note = try #require(try await machines.facts.retrieve(KeyRing.factKey))
            note.bytes[3] ^= 1
            try await machines.facts.insert(note, for: KeyRing.factKey)
            await #expect(throws: VaultError.self) { try await machines.ring().prepare() }
            await #expect(throws: VaultError.self) { try await machines.ring("b").prepare() }
            #expect(try await machines.facts.retrieve(KeyRing.factKey) == note)
        }
    }

    @Test("refuses a key that others can read")
    func open() async throws {
        try await Machines.with { machines in
            try await machines.ring().prepare()
            let name = try #require(try machines.place.names(machines.keys("a")).first { $0.hasSuffix(".key") })
            try machines.place.setMode(0o644, machines.keys("a").appendingPathComponent(name))
            do throws(VaultError) {
                try await machines.ring().prepare()
                Issue.record("it was taken")
            } catch {
                guard case .tooOpen = error else {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }
}
