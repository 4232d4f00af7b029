import Aquifer
import AquiferCrypto
import Foundation
import Testing

@testable import Payments

/// What the next process finds when one was killed between two steps: each state is made by hand.
@Suite("A vault whose writer was killed", .timeLimit(.minutes(5)))
struct VaultRecoveryTests {
    @Test("overwrites and removes half-written replacements, of cards and of keys")
    func incoming() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let keyFile = try place.keyFile()
            let leftovers = [
                place.file.path + ".incoming", place.file.path + ".outgoing", keyFile.path + ".incoming",
                place.keys.path + "/another.key.outgoing",
            ]
            var held: [FileHandle] = []
            for path in leftovers {
                try Data(repeating: 7, count: 100).write(to: URL(fileURLWithPath: path))
                held.append(try #require(FileHandle(forReadingAtPath: path)))
            }
            #expect(try await place.open().cards().count == 1)
            for path in leftovers { #expect(!FileManager.default.fileExists(atPath: path)) }
            for handle in held { #expect(try handle.readToEnd() == Data(count: 100)) }
        }
    }

    @Test("keeps its cards when it had a second name already")
    func linked() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let outgoing = URL(fileURLWithPath: place.file.path + ".outgoing")
            try FileManager.default.linkItem(at: place.file, to: outgoing)
            #expect(try await place.open().cards().count == 1)
            #expect(!FileManager.default.fileExists(atPath: outgoing.path))
            try FileManager.default.linkItem(at: place.file, to: outgoing)
            try await vault.add(try Cards.mastercard())
            #expect(try await place.open().cards().count == 2)
            #expect(!FileManager.default.fileExists(atPath: outgoing.path))
        }
    }

    @Test(
        "opens with either key of a rotation cut short, and finishes it at the next change", arguments: [true, false])
    func rotation(vaultIsOld: Bool) async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let name = try place.keyFile().deletingPathExtension().lastPathComponent
            let keyFile = KeyFile(of: try #require(UUID(uuidString: name)), in: PrivateFolder(path: place.keys.path))
            let current = try #require(try keyFile.keys().first)
            // Before the vault was sealed with the new key, and after.
            let other = try SymmetricKey()
            try keyFile.write(vaultIsOld ? [other, current] : [current, other])
            #expect(try keyFile.keys().count == 2)
            #expect(try await place.open().cards().count == 1)
            try await place.open().add(try Cards.mastercard())
            #expect(try keyFile.keys() == [vaultIsOld ? other : current])
            #expect(try await place.open().cards().count == 2)
            try keyFile.write(vaultIsOld ? [try SymmetricKey(), other] : [current, try SymmetricKey()])
            try await place.open().rotateKey()
            let last = try keyFile.keys()
            #expect(last.count == 1 && last[0] != current && last[0] != other)
            #expect(try await place.open().cards().count == 2)
        }
    }

    @Test("is read whole while another process rotates its key between the reading of the cards and of the key")
    func rotatedWhileReading() async throws {
        try await VaultPlace.with { place in
            try await place.open().add(try Cards.visa())
            let writer = storage(place)
            let rounds = Locked(0)
            var reader = writer
            reader.betweenReads = {
                let isFirst = rounds.withLock { rounds in
                    rounds += 1
                    return rounds <= 3
                }
                guard isFirst else { return }
                #expect(throws: Never.self) {
                    try writer.update(isMaking: false) { opened throws(VaultError) in
                        try writer.rotate(&opened)
                        return true
                    }
                }
            }
            #expect(try reader.load()?.cards.count == 1)
            #expect(rounds.withLock { $0 } == 4)
        }
    }

    private func storage(_ place: VaultPlace) -> VaultStorage {
        VaultStorage(
            folder: PrivateFolder(path: place.folder.path), keys: PrivateFolder(path: place.keys.path),
            patience: .seconds(5), makeID: { UUID() })
    }

    @Test("makes a vault beside the key of one that was never written")
    func orphanKey() async throws {
        try await VaultPlace.with { place in
            try await place.open().add(try Cards.visa())
            try FileManager.default.removeItem(at: place.file)
            #expect(try await place.open().cards().isEmpty)
            try await place.open().add(try Cards.mastercard())
            #expect(try await place.open().cards().count == 1)
            #expect(try place.names(place.keys).filter { $0.hasSuffix(".key") }.count == 2)
        }
    }

    @Test("says that it is busy while another process holds it, can be read, and goes on after")
    func busy() async throws {
        try await VaultPlace.with { place in
            let vault = CardVault(folder: place.folder, keys: place.keys, patience: .zero)
            try await vault.add(try Cards.visa())
            let lock = try POSIX.openToWrite(place.folder.path + "/lock", truncate: false)
            #expect(try POSIX.tryLock(lock))
            await #expect(throws: VaultError.busy(path: place.folder.path)) { try await vault.add(Cards.mastercard()) }
            #expect(try await vault.cards().count == 1)
            POSIX.unlock(lock)
            try await vault.add(try Cards.mastercard())
            #expect(try await vault.cards().count == 2)
        }
    }
}
