import Aquifer
import AquiferConcurrency
import AquiferCrypto
import Foundation
import Testing

@testable import AquiferPayments

/// The states that a killed process leaves to the next one, made by hand or copied after each step of a change.
@Suite("A vault whose writer was killed", .timeLimit(.minutes(10)))
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

    @Test("follows no link in the place of a half-written replacement")
    func linkInItsPlace() async throws {
        try await VaultPlace.with { place in
            let target = place.root.appendingPathComponent("diary")
            try Data("mine".utf8).write(to: target)
            let file = PrivateFile(path: place.root.appendingPathComponent("a").path)
            try FileManager.default.createSymbolicLink(atPath: file.incoming, withDestinationPath: target.path)
            try FileManager.default.createDirectory(atPath: file.outgoing, withIntermediateDirectories: false)
            #expect(throws: Never.self) { try file.sweep() }
            #expect(try Data(contentsOf: target) == Data("mine".utf8))
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
            let other = try SealingKey()
            try keyFile.write(vaultIsOld ? [other, current] : [current, other])
            #expect(try keyFile.keys().count == 2)
            #expect(try await place.open().cards().count == 1)
            try await place.open().add(try Cards.mastercard())
            #expect(try keyFile.keys() == [vaultIsOld ? other : current])
            #expect(try await place.open().cards().count == 2)
            try keyFile.write(vaultIsOld ? [try SealingKey(), other] : [current, try SealingKey()])
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
            let mark = place.folder.appendingPathComponent("cards.mark")
            try FileManager.default.removeItem(at: mark)
            #expect(try await place.open().cards().isEmpty)
            try await place.open().add(try Cards.mastercard())
            #expect(try await place.open().cards().count == 1)
            #expect(try place.names(place.keys).filter { $0.hasSuffix(".key") }.count == 2)
        }
    }

    @Test(
        "has the cards of before or of after, wherever in a change it was killed, and once seen those of before are told",
        arguments: ["first card", "second card", "removal", "rotation"])
    func everyStep(change: String) async throws {
        try await VaultPlace.with { place in
            let (visa, mastercard) = (try Cards.visa(), try Cards.mastercard())
            if change != "first card" { try await place.open().add(visa) }
            let before = try? Data(contentsOf: place.file)
            let shots = try killed(at: place) { storage throws(VaultError) in
                try storage.update(isMaking: true) { opened throws(VaultError) in
                    switch change {
                    case "removal": opened.cards = []
                    case "rotation": try storage.rotate(&opened)
                    default: opened.cards.append(change == "first card" ? visa : mastercard)
                    }
                    return true
                }
            }
            defer { for shot in shots { try? FileManager.default.removeItem(at: shot.root) } }  // only left behind
            #expect(shots.count >= 3)
            let (old, new) = try await (cards(before, in: place), place.open().cards())
            var all: [[CardSummary]] = []
            for shot in shots {
                let seen = try await shot.open().cards()
                #expect(seen == old || seen == new)
                all.append(seen)
                #expect(try await shot.open().cards() == seen, "a look changes nothing")
                guard let before, change == "removal" || change == "second card", seen == new else { continue }
                try shot.overwrite(shot.file, before)
                await #expect(throws: VaultError.self) { try await shot.open().cards() }
            }
            #expect(all.first == old && all.last == new)
        }
    }

    @Test("has a change that threw because its number could not be put in place; the next look puts it there")
    func withoutNumber() async throws {
        try await VaultPlace.with { place in
            try await place.open().add(try Cards.visa())
            let counter = URL(fileURLWithPath: try place.keyFile().deletingPathExtension().path + ".counter")
            let (older, number) = (try Data(contentsOf: place.file), try Data(contentsOf: counter))
            var storage = storage(place)
            storage.afterStep = {
                // Once the vault is written, a folder in the number's place lets nothing take it.
                guard (try? Data(contentsOf: place.file)) != older else { return }
                try? FileManager.default.removeItem(at: counter)
                try? FileManager.default.createDirectory(
                    at: counter.appendingPathComponent("x"), withIntermediateDirectories: true)
            }
            let mastercard = try Cards.mastercard()
            #expect(throws: VaultError.self) {
                try storage.update(isMaking: false) { opened in
                    opened.cards.append(mastercard)
                    return true
                }
            }
            try FileManager.default.removeItem(at: counter)
            try place.overwrite(counter, number)
            #expect(try await place.open().cards().count == 2)
            try place.overwrite(place.file, older)
            await #expect(throws: VaultError.rolledBack(path: place.file.path, change: 1, last: 2)) {
                try await place.open().cards()
            }
        }
    }

    /// The places that a kill after each step of a change leaves behind.
    private func killed(
        at place: VaultPlace, _ change: (VaultStorage) throws(VaultError) -> Void
    ) throws -> [VaultPlace] {
        let shots = Locked<[VaultPlace]>([])
        var storage = storage(place)
        storage.afterStep = {
            let root = place.root.deletingLastPathComponent().appendingPathComponent("aquifer-\(UUID().uuidString)")
            #expect(throws: Never.self) { try FileManager.default.copyItem(at: place.root, to: root) }
            shots.withLock { $0.append(VaultPlace(root: root)) }
        }
        try change(storage)
        return shots.withLock { $0 }
    }

    /// The cards of a vault as it was, beside the keys of now.
    private func cards(_ vault: Data?, in place: VaultPlace) async throws -> [CardSummary] {
        guard let vault else { return [] }
        let header = try VaultHeader(reading: vault, path: place.file.path)
        let keys = try KeyFile(of: header.vault, in: PrivateFolder(path: place.keys.path)).keys()
        guard let key = keys.first(where: { $0.fingerprint == header.key }) else {
            return try await place.open().cards()  // a rotation changes no card
        }
        return try VaultBox.open(vault.dropFirst(VaultHeader.length), with: key, header: header, path: "").cards
            .map(\.summary)
    }

    @Test("whose mark was deleted has one again once it was read, so that its deletion is told, too")
    func markedByReading() async throws {
        try await VaultPlace.with { place in
            try await place.open().add(try Cards.visa())
            try FileManager.default.removeItem(at: place.folder.appendingPathComponent("cards.mark"))
            #expect(try await place.open().cards().count == 1)
            try FileManager.default.removeItem(at: place.file)
            await #expect(throws: VaultError.lost(path: place.file.path)) { try await place.open().cards() }
        }
    }

    @Test("whose file was deleted is told as lost by every operation, until a copy is put back or the user begins anew")
    func lost() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            let visa = try Cards.visa()
            try await vault.add(visa)
            let copy = try Data(contentsOf: place.file)
            try FileManager.default.removeItem(at: place.file)
            let expected = VaultError.lost(path: place.file.path)
            await #expect(throws: expected) { try await place.open().cards() }
            await #expect(throws: expected) { try await place.open().card(visa.id) }
            await #expect(throws: expected) { try await place.open().add(Cards.mastercard()) }
            await #expect(throws: expected) { try await place.open().remove(visa.id) }
            await #expect(throws: expected) { try await place.open().rotateKey() }
            await #expect(throws: expected) { try await place.open().acceptOlder() }
            try place.overwrite(place.file, copy)
            #expect(try await place.open().card(visa.id) == visa)
            try FileManager.default.removeItem(at: place.file)
            #expect(try await place.open().discardOlder())
            #expect(try await place.open().cards().isEmpty)
            #expect(try await !place.open().discardOlder())
            try await place.open().add(try Cards.mastercard())
            #expect(try await place.open().cards().count == 1)
        }
    }

    @Test("whose mark is damaged is told as lost, too", arguments: [0, 20, 31])
    func damagedMark(at byte: Int) async throws {
        try await VaultPlace.with { place in
            try await place.open().add(try Cards.visa())
            try FileManager.default.removeItem(at: place.file)
            let mark = place.folder.appendingPathComponent("cards.mark")
            var bytes = try Data(contentsOf: mark)
            bytes[byte] ^= 1
            try place.overwrite(mark, bytes)
            await #expect(throws: VaultError.lost(path: place.file.path)) { try await place.open().cards() }
        }
    }

    @Test("says that it is busy while another process holds it, can be read, and goes on after")
    func busy() async throws {
        try await VaultPlace.with { place in
            let vault = CardVault(directory: place.folder, keys: place.keys, patience: .zero)
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
