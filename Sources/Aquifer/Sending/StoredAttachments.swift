import AquiferConcurrency
import AquiferFoundation

/// Copies in a store, in pieces, so that any machine that shares the store can send an item whose machine has gone.
///
/// A copy is a *head*, `file:NAME`, and its pieces, `piece:NAME:NUMBER`. The head comes first and goes first: a piece without
/// one was left behind. Its validators say to which item it belongs, and whether that item was saved; its bytes name the
/// instance of the store that makes the copy.
///
/// - A sweep takes away a copy whose item is nowhere, and whose maker has gone. The maker may live all the same, and save its
///   item a moment later. So the sweep deletes the head only as it was before it looked for the item, and the maker changes the
///   head after it has saved the item: one of the two comes too late, and knows it.
/// - No more than one piece is in memory at a time.
final class StoredAttachments: AttachmentKeeper {
    static let (heads, pieces) = ("file:", "piece:")
    static let kept = "kept"

    let store: any CacheStore
    let copies: @Sendable () throws(StoreError) -> URL
    let now: @Sendable () -> Date
    let queue = SerialQueue("aquifer.outbox-stored-attachments")
    let tag: UUID
    let fetches = Locked(0)

    let place = "the store of the outbox's files"

    /// - Parameters:
    ///   - copies: a folder of this process's own, for the files that are being sent or heard.
    ///   - tag: names the files of this outbox in it while they are not complete.
    init(
        in store: any CacheStore, copies: @escaping @Sendable () throws(StoreError) -> URL,
        now: @escaping @Sendable () -> Date, tag: UUID = UUID()
    ) {
        (self.store, self.copies, self.now, self.tag) = (store, copies, now, tag)
    }

    // MARK: Keeping

    func keep(_ parts: [HTTPBody.Part], stem: String) async throws(OutboxError) -> AttachmentHold {
        var hold = AttachmentHold(parts: [])
        do throws(OutboxError) {
            for (place, part) in parts.enumerated() {
                switch part {
                case .bytes(let data): hold.parts.append(.bytes(data))
                case .file(let url, let offset, let length):
                    let (name, original) = ("\(stem).\(place)", url.lastPathComponent)
                    hold.parts.append(.kept(name: name, original: original, length: length, sum: 0))
                    let sum = try await copy(url, offset, length, to: name)
                    hold.parts[place] = .kept(name: name, original: original, length: length, sum: sum)
                }
            }
        } catch {
            await remove(hold.names)
            throw error
        }
        return hold
    }

    private func copy(
        _ source: URL, _ offset: UInt64, _ length: UInt64, to name: String
    ) async throws(OutboxError) -> UInt64 {
        let original = try await queue.run { () throws(OutboxError) in try AttachmentFolder.original(source) }
        let end = offset.saturatingAdding(length)
        var (sum, at, number) = (UInt64(0), offset, 0)
        do throws(StoreError) {
            try await store.insert(try head(nil, isKept: false), for: Self.heads + name)
            while at < end {
                let wanted = Int(min(UInt64(AttachmentFolder.piece), end - at))
                let place = at
                let bytes = try await queue.run { () throws(StoreError) in try Self.read(original, wanted, at: place) }
                guard let bytes else { break }
                sum = bytes.withUnsafeBytes { [sum] in BlockSum.of($0, number, seed: sum) }
                try await store.insert(StoredEntry(bytes: bytes, savedAt: now()), for: Self.key(name, number))
                at += UInt64(wanted)
                number += 1
            }
        } catch { throw .store(error) }
        guard at >= end else {
            throw .attachment(name: source.lastPathComponent, reason: "is shorter than it should be")
        }
        return sum
    }

    private static func read(_ file: POSIX.File, _ count: Int, at place: UInt64) throws(StoreError) -> Data? {
        guard let start = Int(exactly: place) else { return nil }
        var isWhole = false
        let bytes = try POSIX.data(count) { target throws(StoreError) in
            isWhole = try POSIX.read(file, into: target, at: start) == target.count
        }
        return isWhole ? bytes : nil
    }

    func assign(_ hold: inout AttachmentHold, to number: UInt64) async throws(StoreError) {
        for name in hold.names { try await store.insert(try head(number, isKept: false), for: Self.heads + name) }
    }

    func confirm(_ hold: AttachmentHold) async throws(StoreError) -> Bool {
        for name in hold.names {
            let isThere = try await store.decide(Self.heads + name) { found throws(StoreError) -> (EntryChange, Bool) in
                guard var entry = try found.get() else { return (.keep, false) }
                entry.validators.lastModified = Self.kept
                return (.replace(entry), true)
            }
            if !isThere { return false }
        }
        return true
    }

    private func head(_ number: UInt64?, isKept: Bool) throws(StoreError) -> StoredEntry {
        StoredEntry(
            bytes: Data((store.presence?.name ?? "").utf8), savedAt: now(),
            validators: Validators(etag: number.map { "\($0)" }, lastModified: isKept ? Self.kept : nil))
    }

    static func key(_ name: String, _ number: Int) -> String { "\(pieces)\(name):\(number)" }

    /// True if the key is that of a head or a piece: its name begins with an outbox's owner. Others' keys may begin with a word like that.
    static func isKey(_ key: String) -> Bool {
        guard let name = key.rest(after: heads) ?? key.rest(after: pieces) else { return false }
        return UUID(uuidString: String(name.prefix(36))) != nil
    }
}

extension Outbox {
    /// True if an outbox has its entries, or its files, under such keys.
    package static func hasEntry(_ key: String) -> Bool {
        OutboxShelf.isKey(key) || key.hasPrefix(StoredAttachments.heads) || key.hasPrefix(StoredAttachments.pieces)
    }
}
