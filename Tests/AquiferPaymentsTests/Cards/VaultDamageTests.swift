import Aquifer
import AquiferWording
import Foundation
import Testing

@testable import AquiferPayments

@Suite("A damaged vault", .timeLimit(.minutes(10)))
struct VaultDamageTests {
    @Test("is found whichever single byte of the vault has changed, and kept as it is")
    func vaultBytes() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let good = try Data(contentsOf: place.file)
            for at in good.indices {
                for mask in [0x01, 0x80, 0xff] as [UInt8] {
                    var bad = good
                    bad[at] ^= mask
                    try place.overwrite(place.file, bad)
                    let error = await #expect(throws: VaultError.self, "byte \(at)") { try await vault.cards() }
                    // A changed version may be reported as a newer version.
                    if !(8..<12).contains(at) { #expect(error == .damaged(path: place.file.path), "byte \(at)") }
                }
            }
            try place.overwrite(place.file, good)
            #expect(try await vault.cards().count == 1)
        }
    }

    @Test("is found whichever single byte of the key file has changed")
    func keyBytes() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let keyFile = try place.keyFile()
            let good = try Data(contentsOf: keyFile)
            for at in good.indices {
                var bad = good
                bad[at] ^= 0x10
                try place.overwrite(keyFile, bad)
                await #expect(throws: VaultError.damaged(path: keyFile.path), "byte \(at)") { try await vault.cards() }
            }
            try place.overwrite(keyFile, good)
            #expect(try await vault.cards().count == 1)
        }
    }

    @Test("is found when it is cut or grown, at any length, and nothing can be added to it")
    func truncated() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let good = try Data(contentsOf: place.file)
            let bad = (0..<good.count).map { good.prefix($0) } + [good + Data([0]), Data(count: good.count)]
            for bytes in bad {
                try place.overwrite(place.file, Data(bytes))
                await #expect(throws: VaultError.damaged(path: place.file.path)) { try await vault.cards() }
            }
            try place.overwrite(place.file, good.prefix(60))
            await #expect(throws: VaultError.damaged(path: place.file.path)) { try await vault.add(Cards.mastercard()) }
            await #expect(throws: VaultError.damaged(path: place.file.path)) { try await vault.rotateKey() }
            #expect(try Data(contentsOf: place.file) == good.prefix(60))
            #expect(try place.names(place.folder) == ["cards.mark", "cards.vault", "lock"])
            try place.overwrite(place.file, good)
            #expect(try await vault.cards().count == 1)
        }
    }

    @Test("is not believed when cards were cut out of it, or exchanged with those of an older copy")
    func spliced() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let one = try Data(contentsOf: place.file)
            try await vault.add(try Cards.mastercard())
            let two = try Data(contentsOf: place.file)
            // A box is good beside the other file's header only while both have one key. Parts of a box never are.
            for at in stride(from: 60, to: one.count, by: 7) {
                try place.overwrite(place.file, one.prefix(at) + two.dropFirst(at))
                await #expect(throws: VaultError.damaged(path: place.file.path)) { try await vault.cards() }
                try place.overwrite(place.file, two.prefix(at) + one.dropFirst(at))
                await #expect(throws: VaultError.damaged(path: place.file.path)) { try await vault.cards() }
            }
        }
    }

    @Test(
        "says that it is of another version, newer or before the first release, and stays as it is",
        arguments: [1, 3, 7])
    func otherVersion(version: UInt8) async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            var other = try Data(contentsOf: place.file)
            other[11] = version
            try place.overwrite(place.file, other)
            let error = VaultError.otherVersion(path: place.file.path, found: Int(version), supported: 2)
            await #expect(throws: error) { try await vault.cards() }
            await #expect(throws: error) { try await vault.add(Cards.mastercard()) }
            await #expect(throws: error) { try await vault.remove(UUID()) }
            await #expect(throws: error) { try await vault.rotateKey() }
            #expect(try Data(contentsOf: place.file) == other)
        }
    }

    @Test("says that its key is missing, and opens when it is back")
    func missingKey() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let keyFile = try place.keyFile()
            let aside = place.root.appendingPathComponent("aside")
            let counter = URL(fileURLWithPath: keyFile.deletingPathExtension().path + ".counter")
            let number = try Data(contentsOf: counter)
            let bytes = try Data(contentsOf: place.file)
            try FileManager.default.moveItem(at: keyFile, to: aside)
            try await expectRefused(vault, .missingKey(path: keyFile.path))
            try FileManager.default.removeItem(at: place.keys)
            try await expectRefused(vault, .missingKey(path: keyFile.path))
            #expect(try Data(contentsOf: place.file) == bytes)
            try FileManager.default.createDirectory(
                at: place.keys, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.moveItem(at: aside, to: keyFile)
            try place.overwrite(counter, number)
            #expect(try await vault.cards().count == 1)
        }
    }

    @Test("says that its key is another one, and opens with its own")
    func wrongKey() async throws {
        try await VaultPlace.with { place in
            try await VaultPlace.with { other in
                let vault = place.open()
                try await vault.add(try Cards.visa())
                try await other.open().add(try Cards.visa())
                let keyFile = try place.keyFile()
                let own = try Data(contentsOf: keyFile)
                let bytes = try Data(contentsOf: place.file)
                try place.overwrite(keyFile, try Data(contentsOf: other.keyFile()))
                try await expectRefused(vault, .wrongKey(path: place.file.path))
                #expect(try Data(contentsOf: place.file) == bytes)
                try place.overwrite(keyFile, own)
                #expect(try await vault.cards().count == 1)
            }
        }
    }

    @Test("is refused when others may read any of it, with the command that ends that")
    func tooOpen() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let keyFile = try place.keyFile()
            for (url, good) in [(place.file, 0o600), (keyFile, 0o600), (place.folder, 0o700), (place.keys, 0o700)] {
                for mode in [good | 0o040, good | 0o004, good | 0o002, 0o777] {
                    try place.setMode(mode, url)
                    let fix = "chmod \(String(good, radix: 8)) '\(url.path)'"
                    try await expectRefused(vault, .tooOpen(path: url.path, fix: fix))
                    #expect(try place.mode(url) == mode, "it is not changed behind anyone's back")
                    // The command in the error repairs the mode.
                    try Process.run(URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", fix]).waitUntilExit()
                    #expect(try await vault.cards().count == 1)
                }
            }
        }
    }

    @Test("tells a command that is right for a folder of any name")
    func quoting() async throws {
        try await VaultPlace.with { place in
            let folder = place.root.appendingPathComponent("it's $HOME")
            let vault = CardVault(directory: folder, keys: place.keys)
            try await vault.add(try Cards.visa())
            try place.setMode(0o755, folder)
            let error = await #expect(throws: VaultError.self) { try await vault.cards() }
            guard case .tooOpen(_, let fix) = error else { return #expect(Bool(false), "\(error as Any)") }
            try Process.run(URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", fix]).waitUntilExit()
            #expect(try await vault.cards().count == 1)
        }
    }

    @Test("is refused when it is no file at all")
    func notAFile() async throws {
        try await VaultPlace.with { place in
            try FileManager.default.createDirectory(at: place.folder, withIntermediateDirectories: true)
            try place.setMode(0o700, place.folder)
            try FileManager.default.createDirectory(at: place.file, withIntermediateDirectories: true)
            try place.setMode(0o700, place.file)
            await #expect(throws: VaultError.damaged(path: place.file.path)) { try await place.open().cards() }
        }
    }

    @Test("says in one line what is wrong and what to do, and in both languages what the customer can do")
    func descriptions() {
        let errors: [VaultError] = [
            .missingKey(path: "/k"), .wrongKey(path: "/v"), .damaged(path: "/v"), .lost(path: "/v"),
            .otherVersion(path: "/v", found: 3, supported: 2), .otherVersion(path: "/v", found: 1, supported: 2),
            .tooOpen(path: "/v", fix: "chmod 600 '/v'"),
            .full(path: "/v"), .readOnly(path: "/v"), .busy(path: "/v"), .failed(reason: "x"),
        ]
        #expect(
            errors.map(\.description) == [
                "the key of the saved cards is missing; put /k back, or move the vault away and add the cards again",
                "/v was sealed with another key; put the key file that belongs to it back",
                "/v is damaged; put a copy of it back, or move it away and add the cards again",
                "/v, in which cards were kept, is gone; put a copy of it back, or begin without those cards",
                "/v was written by a newer version of Aquifer (form 3, this one knows 2); it is left as it is: update, or name another place",
                "/v was written by an earlier version of Aquifer, before its first release (form 1, this one knows 2); it is left as it is: move it away or delete it",
                "/v is open to others; run: chmod 600 '/v'",
                "there is no room left on the device of /v; free some, then try again",
                "/v cannot be written to; check its permissions", "/v is held by another process; try again",
                "the saved cards could not be used: x",
            ])
        for error in errors { #expect(error.message(in: .english) != error.message(in: .brazilianPortuguese)) }
    }

    private func expectRefused(_ vault: CardVault, _ error: VaultError) async throws {
        await #expect(throws: error) { try await vault.cards() }
        await #expect(throws: error) { try await vault.card(UUID()) }
        await #expect(throws: error) { try await vault.add(Cards.mastercard()) }
        await #expect(throws: error) { try await vault.remove(UUID()) }
        await #expect(throws: error) { try await vault.rotateKey() }
    }

    @Test("is told of a key file whose sum is right and that is none of this version's")
    func foreignKeyFile() async throws {
        try await VaultPlace.with { place in
            let vault = place.open()
            try await vault.add(try Cards.visa())
            let keyFile = try place.keyFile()
            var bytes = try Data(contentsOf: keyFile).dropLast(8)
            bytes[7] ^= 3
            let sum = bytes.withUnsafeBytes { Checksum.xxh64($0) }
            try place.overwrite(keyFile, bytes + withUnsafeBytes(of: sum.bigEndian) { Data($0) })
            await #expect(throws: VaultError.damaged(path: keyFile.path)) { try await vault.cards() }
        }
    }
}
