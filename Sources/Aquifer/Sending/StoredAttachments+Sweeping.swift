import AquiferFoundation

/// The end of copies.
extension StoredAttachments {
    /// The time after which a copy that nobody has confirmed was left, if its maker left no name.
    private static let patience = Duration.hours(24)

    /// A head in the list of the store.
    struct Listed: Sendable {
        let name: String
        let number: UInt64?
        let isKept: Bool
        let summary: StoredEntry.Summary
    }

    func listed() async throws(StoreError) -> [Listed] { try await listing().heads }

    private func listing() async throws(StoreError) -> (heads: [Listed], damaged: [String]) {
        func name(_ key: String) -> String { String(key.dropFirst(Self.heads.count)) }
        let contents = try await store.contents(prefix: Self.heads)
        let heads = contents.entries.map { summary in
            Listed(
                name: name(summary.key),
                number: summary.validators.etag.flatMap { UInt64($0) }.flatMap { $0 < 1 << 61 ? $0 : nil },
                isKept: summary.validators.lastModified == Self.kept, summary: summary)
        }
        return (heads, contents.damaged.compactMap { $0.key.map(name) })
    }

    func remove(_ names: [String]) async {
        for name in names {
            // What stays does no harm, and a sweep finds it.
            do throws(StoreError) {
                try await store.delete(Self.heads + name)
                try await store.deleteAll(prefix: Self.pieces + name + ":")
            } catch {}
            if let file = try? local(name, name) { _ = try? POSIX.remove(file.path) }  // as above
        }
    }

    func removeAll(of number: UInt64) async {
        // A store that cannot be listed now is cleaned by a later sweep.
        let names = (try? await listed())?.filter { $0.number == number }.map(\.name) ?? []
        await remove(names)
    }

    func highestNumber() async -> UInt64? { (try? await listed())?.compactMap(\.number).max() }  // as for a folder

    func sweep(_ isUnused: @Sendable (_ name: String, _ number: UInt64) async -> Bool) async {
        // A store that cannot be listed now is swept by the next process. The pieces are listed first: their heads were there before
        // them.
        guard let pieces = try? await store.contents(prefix: Self.pieces), let (heads, damaged) = try? await listing()
        else { return }
        for head in heads {
            if let number = head.number, !(await isUnused(head.name, number)) { continue }
            if !head.isKept, await hasLivingMaker(head) { continue }
            if await take(head) { await remove([head.name]) }
        }
        // A damaged head is no absence of one: its pieces may suffice.
        let known = Set(heads.map(\.name) + damaged)
        for name in Set(pieces.entries.compactMap { Self.name(ofPiece: $0.key) }).subtracting(known) {
            await remove([name])
        }
    }

    private static func name(ofPiece key: String) -> String? {
        let name = key.dropFirst(pieces.count)
        return name.lastIndex(of: ":").map { String(name[..<$0]) }
    }

    /// True if the instance of the store that makes the copy may live.
    private func hasLivingMaker(_ head: Listed) async -> Bool {
        // A head that cannot be read now stays.
        guard let found = try? await store.retrieve(head.summary.key) else { return true }
        let maker = String(decoding: found.bytes, as: UTF8.self)
        guard !maker.isEmpty, let presence = store.presence else {
            return abs(now().timeIntervalSince(head.summary.savedAt)) < Self.patience.timeInterval
        }
        // If it cannot be known now, the copy stays.
        return (try? await presence.gone(among: [maker]))?.contains(maker) != true
    }

    /// Deletes a head if it is as it was listed.
    private func take(_ head: Listed) async -> Bool {
        // A head that cannot be deleted now stays.
        let isTaken = try? await store.decide(head.summary.key) { found throws(StoreError) -> (EntryChange, Bool) in
            guard let entry = try found.get(), StoredEntry.Summary(entry, key: head.summary.key) == head.summary else {
                return (.keep, false)
            }
            return (.delete, true)
        }
        return isTaken == true
    }
}
