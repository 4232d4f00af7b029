import Aquifer
import AquiferCrypto
import AquiferFoundation

/// A vault's files. It lets many processes read them while one writes, and defines the order of the writes.
struct VaultStorage: Sendable {
    let folder: PrivateFolder
    let keys: PrivateFolder
    let patience: Duration
    let makeID: @Sendable () -> UUID
    /// For tests: called between the reads of the vault and of its keys, where another process may write.
    var betweenReads: @Sendable () -> Void = {}
    /// For tests: called after each step of a change, where the process may be killed.
    var afterStep: @Sendable () -> Void = {}

    var file: PrivateFile { PrivateFile(path: folder.path + "/cards.vault") }

    /// A vault that was opened.
    struct Opened {
        let id: UUID
        /// The newest first.
        var keys: [SealingKey]
        /// The number of the last change.
        var change: UInt64
        /// True if this is an older copy of the vault, which is opened only if the caller accepts it.
        var isOlder = false
        /// True if its writer was killed before it stored the number of the change beside the key.
        var isAhead = false
        var cards: [Card]
    }

    /// The vault as it is stored; `nil` if there never was one. This waits for no lock, and creates no vault.
    func load(_ rollback: VaultRollback = .refused) throws(VaultError) -> Opened? {
        sweepIfPossible()
        let opened = try read(rollback)
        if opened?.isAhead == true { finishIfPossible() }
        if let opened, try mark.read() == .missing { markIfPossible(opened.id) }
        return opened
    }

    /// Changes the vault, and stores it if `change` returns true. If there is no vault and `isMaking` is true, this
    /// creates a vault and its key.
    func update(
        isMaking: Bool, _ rollback: VaultRollback = .refused, _ change: (inout Opened) throws(VaultError) -> Bool
    ) throws(VaultError) {
        if !isMaking, try isMissing() { return }
        try folder.make()
        try folder.exclusively(patience) { () throws(VaultError) in
            try folder.sweep()
            var opened = try read(rollback)
            if opened == nil && isMaking { opened = try make() }
            guard var opened else { return }
            try keys.make()
            try keys.exclusively(patience) { () throws(VaultError) in
                try keys.sweep()
                guard try change(&opened) else { return }
                try write(&opened)
            }
        }
    }

    /// Seals the cards with a new key. Only within `update`.
    ///
    /// Both keys are on the device before the vault is sealed with the new one. The old key is removed after that. If
    /// the rotation is interrupted at any moment, the key that the vault needs is there, and the next change finishes
    /// it.
    func rotate(_ opened: inout Opened) throws(VaultError) {
        try write(&opened)  // finishes a rotation that was cut short
        let key: SealingKey
        do throws(CryptoError) { key = try SealingKey() } catch { throw .failed(reason: "\(error)") }
        opened.keys = [key] + opened.keys.prefix(1)
        try KeyFile(of: opened.id, in: keys).write(opened.keys)
    }

    /// Writes the vault first, sealed with the newest key. Then it stores the number of this change beside the key, and
    /// removes the other keys from the key file.
    ///
    /// If the process is killed before the vault is replaced, the change was not made. If it is killed between vault
    /// and number, the change was made: the vault is one ahead, and the next process that reads it stores the number.
    /// No caller was told of the change before.
    private func write(_ opened: inout Opened) throws(VaultError) {
        guard let key = opened.keys.first else { return }
        let counter = VaultCounter(of: opened.id, in: keys)
        // The new number is larger than the numbers in both files, also after an older copy was accepted.
        var last = opened.change
        if case .number(let kept) = try counter.read() { last = max(last, kept) }
        guard last < UInt64.max else { throw .damaged(path: counter.file.path) }
        opened.change = last + 1
        // A vault always has a number: if there is none yet, the last one is stored first.
        if try counter.read() == .missing {
            try counter.prepare(last)
            try counter.commit()
            afterStep()
        }
        // The mark follows the counter, which is 0 for a vault that is being created: such a vault does not count as
        // lost.
        if try mark.read() != .vault(opened.id) {
            try mark.write(opened.id)
            afterStep()
        }
        try counter.prepare(opened.change)
        afterStep()
        let header = VaultHeader(vault: opened.id, key: key).bytes
        do throws(VaultError) {
            try file.replace(
                with: header + VaultBox.seal(opened.cards, change: opened.change, with: key, header: header))
        } catch {
            counter.abandon()
            throw error
        }
        afterStep()
        try counter.commit()
        afterStep()
        if opened.keys.count > 1 { try KeyFile(of: opened.id, in: keys).write([key]) }
    }

    /// Creates a vault without cards. Its key is written first, because a key without a vault is harmless.
    private func make() throws(VaultError) -> Opened {
        let id = makeID()
        let key: SealingKey
        do throws(CryptoError) { key = try SealingKey() } catch { throw .failed(reason: "\(error)") }
        try keys.make()
        try keys.exclusively(patience) { () throws(VaultError) in try KeyFile(of: id, in: keys).write([key]) }
        return Opened(id: id, keys: [key], change: 0, cards: [])
    }

    /// Reads vault and keys until they belong together. A writer may replace one of them between the two reads, or
    /// overwrite a file that was just opened. An error that occurs twice in a row with the same bytes is final.
    private func read(_ rollback: VaultRollback) throws(VaultError) -> Opened? {
        var last: Attempt?
        for _ in 0..<1000 {
            guard let attempt = try attempt(rollback) else {
                if try isMissing() { return nil }
                continue  // another process has just made it
            }
            if case .success(let opened) = attempt.outcome { return opened }
            if let last, last.isSame(as: attempt) { return try attempt.outcome.get() }
            last = attempt
        }
        throw .busy(path: folder.path)
    }

    private struct Attempt {
        let vault: Data
        let keys: [SealingKey]
        let outcome: Result<Opened, VaultError>

        func isSame(as other: Attempt) -> Bool {
            guard case .failure(let one) = outcome, case .failure(let two) = other.outcome else { return false }
            return one == two && vault == other.vault && keys == other.keys
        }
    }

    private func attempt(_ rollback: VaultRollback) throws(VaultError) -> Attempt? {
        guard let vault = try file.read() else { return nil }
        try Privacy.check(folder.path)
        var found: [SealingKey] = []
        do throws(VaultError) {
            let header = try VaultHeader(reading: vault, path: file.path)
            betweenReads()
            found = try KeyFile(of: header.vault, in: keys).keys()
            guard let key = found.first(where: { $0.fingerprint == header.key }) else {
                throw .wrongKey(path: file.path)
            }
            let box = try VaultBox.open(
                vault.dropFirst(VaultHeader.length), with: key, header: header, path: file.path)
            // The number is read after the vault, which is written first. A writer in between makes the vault look
            // older than it is, never newer, and the vault is then read again.
            var opened = Opened(id: header.vault, keys: found, change: box.change, cards: box.cards)
            do throws(VaultError) { opened.isAhead = try isAhead(header, box.change) } catch {
                guard rollback == .accepted, case .rolledBack = error else { throw error }
                opened.isOlder = true
            }
            return Attempt(vault: vault, keys: found, outcome: .success(opened))
        } catch {
            return Attempt(vault: vault, keys: found, outcome: .failure(error))
        }
    }

    /// True if the vault is ahead of the number beside its key.
    ///
    /// - Throws: ``VaultError/rolledBack(path:change:last:)`` if the vault is older than that number, or the number is
    ///   damaged or missing.
    private func isAhead(_ header: VaultHeader, _ change: UInt64) throws(VaultError) -> Bool {
        switch try VaultCounter(of: header.vault, in: keys).read() {
        case .number(let last) where change >= last: return change > last
        case .number(let last): throw .rolledBack(path: file.path, change: change, last: last)
        case .missing, .damaged: throw .rolledBack(path: file.path, change: change, last: nil)
        }
    }

    /// Marks a vault whose mark was deleted.
    private func markIfPossible(_ id: UUID) {
        // Another process is writing, or this one cannot write here. The next process that reads or writes marks it.
        try? folder.exclusively(.zero) { () throws(VaultError) in
            if try mark.read() == .missing, POSIX.exists(file.path) { try mark.write(id) }
        }
    }

    /// Stores the number of the last change beside the key, because its writer was killed before it did. From then on
    /// the vault from before that change is an older copy.
    private func finishIfPossible() {
        // Another process is writing, or this one cannot write here. The next process that reads or writes finishes it.
        try? folder.exclusively(.zero) { () throws(VaultError) in
            try keys.exclusively(.zero) { () throws(VaultError) in
                guard let opened = try read(.refused), opened.isAhead else { return }
                // Whoever was killed may not have flushed the name of the vault. The counter must not be on the device
                // before it: a vault that is gone would be told, of one that never counted.
                try posix { () throws(StoreError) in try PrivateFile.flush(folder: folder.path) }
                let counter = VaultCounter(of: opened.id, in: keys)
                try counter.prepare(opened.change)
                try counter.commit()
            }
        }
    }

    private func sweepIfPossible() {
        for place in [folder, keys] where place.hasLeftovers {
            // Another process is writing, or this one cannot write here. The next process that writes sweeps.
            try? place.exclusively(.zero) { () throws(VaultError) in try place.sweep() }
        }
    }
}
