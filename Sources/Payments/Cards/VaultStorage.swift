import Aquifer
import AquiferCrypto
import Foundation

/// A vault's files: how they are read by many while one writes, and in which order they are written.
struct VaultStorage: Sendable {
    let folder: PrivateFolder
    let keys: PrivateFolder
    let patience: Duration
    let makeID: @Sendable () -> UUID
    /// Called between reading the vault and reading its keys, where a writer may come in: for tests.
    var betweenReads: @Sendable () -> Void = {}

    var file: PrivateFile { PrivateFile(path: folder.path + "/cards.vault") }

    /// A vault that was opened.
    struct Opened {
        let id: UUID
        /// The newest first.
        var keys: [SymmetricKey]
        var cards: [Card]
    }

    /// What is kept; `nil` if there is no vault. Takes no lock, and makes nothing.
    func load() throws(VaultError) -> Opened? {
        sweepIfPossible()
        return try read()
    }

    /// Changes what is kept, if `change` says that it did. Makes a vault and its key if there is none and `isMaking`.
    func update(isMaking: Bool, _ change: (inout Opened) throws(VaultError) -> Bool) throws(VaultError) {
        if !isMaking && !POSIX.exists(file.path) { return }
        try folder.make()
        try folder.exclusively(patience) { () throws(VaultError) in
            try folder.sweep()
            var opened = try read()
            if opened == nil && isMaking { opened = try make() }
            guard var opened else { return }
            try keys.make()
            try keys.exclusively(patience) { () throws(VaultError) in
                try keys.sweep()
                guard try change(&opened) else { return }
                try write(opened)
            }
        }
    }

    /// Seals the cards with a new key. Only within `update`.
    ///
    /// Both keys are on the device before the vault is sealed with the new one, and the old one goes after: whenever
    /// this is cut short, the key that the vault needs is there. The next change of the vault finishes it.
    func rotate(_ opened: inout Opened) throws(VaultError) {
        try write(opened)  // finishes a rotation that was cut short
        let key: SymmetricKey
        do throws(CryptoError) { key = try SymmetricKey() } catch { throw .failed(reason: "\(error)") }
        opened.keys = [key] + opened.keys.prefix(1)
        try KeyFile(of: opened.id, in: keys).write(opened.keys)
    }

    /// The vault first, sealed with the newest key; then its key file is rid of the others.
    private func write(_ opened: Opened) throws(VaultError) {
        guard let key = opened.keys.first else { return }
        let header = VaultHeader(vault: opened.id, key: key).bytes
        try file.replace(with: header + VaultBox.seal(opened.cards, with: key, header: header))
        if opened.keys.count > 1 { try KeyFile(of: opened.id, in: keys).write([key]) }
    }

    /// A vault without cards: its key first, as a key without a vault loses nothing.
    private func make() throws(VaultError) -> Opened {
        let id = makeID()
        let key: SymmetricKey
        do throws(CryptoError) { key = try SymmetricKey() } catch { throw .failed(reason: "\(error)") }
        try keys.make()
        try keys.exclusively(patience) { () throws(VaultError) in try KeyFile(of: id, in: keys).write([key]) }
        return Opened(id: id, keys: [key], cards: [])
    }

    /// Reads vault and keys until they belong together. A writer may have replaced one of them, or overwritten what was
    /// just opened, in between; what fails twice in the same way fails for good.
    private func read() throws(VaultError) -> Opened? {
        var last: Attempt?
        for _ in 0..<1000 {
            guard let attempt = try attempt() else { return nil }
            if case .success(let opened) = attempt.outcome { return opened }
            if let last, last.isSame(as: attempt) { return try attempt.outcome.get() }
            last = attempt
        }
        throw .busy(path: folder.path)
    }

    private struct Attempt {
        let vault: Data
        let keys: [SymmetricKey]
        let outcome: Result<Opened, VaultError>

        func isSame(as other: Attempt) -> Bool {
            guard case .failure(let one) = outcome, case .failure(let two) = other.outcome else { return false }
            return one == two && vault == other.vault && keys == other.keys
        }
    }

    private func attempt() throws(VaultError) -> Attempt? {
        guard let vault = try file.read() else { return nil }
        try Privacy.check(folder.path)
        var found: [SymmetricKey] = []
        do throws(VaultError) {
            let header = try VaultHeader(reading: vault, path: file.path)
            betweenReads()
            found = try KeyFile(of: header.vault, in: keys).keys()
            guard let key = found.first(where: { $0.fingerprint == header.key }) else {
                throw .wrongKey(path: file.path)
            }
            let cards = try VaultBox.open(
                vault.dropFirst(VaultHeader.length), with: key, header: header.bytes, path: file.path)
            let opened = Opened(id: header.vault, keys: found, cards: cards)
            return Attempt(vault: vault, keys: found, outcome: .success(opened))
        } catch {
            return Attempt(vault: vault, keys: found, outcome: .failure(error))
        }
    }

    private func sweepIfPossible() {
        for place in [folder, keys] where place.hasLeftovers {
            // Someone is writing just now, or nothing can be written here: whoever writes next sweeps.
            try? place.exclusively(.zero) { () throws(VaultError) in try place.sweep() }
        }
    }
}
