import Aquifer
import AquiferCrypto
import AquiferFoundation

/// The key with which machines seal what they keep in a store that they share: cards, and whatever else is secret.
///
/// - The key is in a file, `<id>.key`, in a folder of each machine. The store has the id and the fingerprint of the key,
///   and nothing of the key itself: a copy of either alone opens nothing.
/// - The first machine that asks makes the key. Each other one needs that file: copy it, or share the folder. Without the
///   file, or with another key in it, each call throws, and nothing is written.
/// - A box that was sealed under a name opens under that name only.
public struct KeyRing: Sendable {
    /// The key of the entry that notes the key.
    static let factKey = "sealing-key"
    /// The key of an entry that is there once a key was noted: a note that is gone is not replaced.
    static let markKey = "sealing-key-made"

    let folder: PrivateFolder
    private let facts: any CacheStore
    private let patience: Duration
    private let now: @Sendable () -> Date
    private let makeID: @Sendable () -> UUID
    private let queue = SerialQueue("aquifer.key-ring")

    /// - Parameters:
    ///   - folder: The folder of the key on this machine. Choose one that is not copied along with the store.
    ///   - facts: The store that the machines share. It must not lose its entries.
    ///   - patience: The longest wait while another process writes in the folder.
    ///   - now: The clock for the date of the note of the key.
    ///   - makeID: Names the key when it is made.
    public init(
        folder: URL, facts: any CacheStore, patience: Duration = .seconds(5),
        now: @escaping @Sendable () -> Date = { Date() }, makeID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        self.folder = PrivateFolder(path: folder.standardizedFileURL.path)
        (self.facts, self.patience, self.now, self.makeID) = (facts, patience, now, makeID)
    }

    /// Makes sure that this machine has the key, and makes the key if no machine has made one.
    ///
    /// - Throws: ``VaultError/missingSharedKey(path:)``, ``VaultError/foreignSharedKey(path:)``, or the reason why the folder or
    ///   the store cannot be used.
    public func prepare() async throws(VaultError) {
        _ = try await key()
        let mark = StoredEntry(bytes: Data(), savedAt: now())
        do throws(StoreError) { try await facts.insert(mark, for: Self.markKey) } catch { throw VaultError(error) }
    }

    /// Seals bytes.
    ///
    /// - Parameters:
    ///   - plain: The bytes.
    ///   - name: The name under which they can be opened.
    /// - Throws: as ``prepare()``.
    public func seal(_ plain: Data, as name: String) async throws(VaultError) -> Data {
        let key = try await key()
        do throws(CryptoError) { return try Sealed.seal(plain, with: key, authenticating: Self.label(name)) } catch {
            throw .failed(reason: "\(error)")
        }
    }

    /// Opens a box.
    ///
    /// - Parameters:
    ///   - box: The box.
    ///   - name: The name under which its bytes were sealed.
    /// - Throws: ``VaultError/damaged(path:)`` if the box was changed, or sealed under another name; otherwise as
    ///   ``prepare()``.
    public func open(_ box: Data, as name: String) async throws(VaultError) -> Data {
        let key = try await key()
        do throws(CryptoError) { return try Sealed.open(box, with: key, authenticating: Self.label(name)) } catch {
            throw VaultError(error, "what the shared store has as \(name)")
        }
    }

    /// The bytes that stand for a name. No name is a part of another one's bytes.
    static func label(_ name: String) -> Data { Data("\(name.utf8.count):\(name)".utf8) }

    // MARK: The key

    /// The key, which is read anew each time: it may have been put in its place meanwhile.
    func key() async throws(VaultError) -> SealingKey {
        let fact: Fact
        if let known = try await known() { fact = known } else { fact = try await make() }
        return try await onDisk { () throws(VaultError) in try key(of: fact) }
    }

    /// Runs `body` off the cooperative threads, because it waits for files and locks.
    func onDisk<Value: Sendable>(_ body: @Sendable () throws(VaultError) -> Value) async throws(VaultError) -> Value {
        try await queue.run(body)
    }

    private func key(of fact: Fact) throws(VaultError) -> SealingKey {
        let file = KeyFile(of: fact.id, in: folder)
        let keys: [SealingKey]
        do throws(VaultError) { keys = try file.keys() } catch {
            guard case .missingKey(let path) = error else { throw error }
            throw .missingSharedKey(path: path)
        }
        guard let key = keys.first(where: { $0.fingerprint == fact.fingerprint }) else {
            throw .foreignSharedKey(path: file.file.path)
        }
        return key
    }

    /// The note of the key in the store; `nil` if no machine has made a key.
    private func known() async throws(VaultError) -> Fact? {
        do throws(StoreError) { return try await facts.retrieve(Self.factKey).map(Fact.init(reading:)) } catch {
            throw VaultError(error)
        }
    }

    /// Makes a key, and notes it unless another machine has been quicker. The key is on the device before it is noted.
    ///
    /// - Throws: ``VaultError/damaged(path:)`` if a key was noted before: what was sealed with it would open no more.
    private func make() async throws(VaultError) -> Fact {
        let mark: StoredEntry?
        do throws(StoreError) { mark = try await facts.retrieve(Self.markKey) } catch { throw VaultError(error) }
        if mark != nil { throw .damaged(path: "the note of the key in the shared store") }
        let key: SealingKey
        do throws(CryptoError) { key = try SealingKey() } catch { throw .failed(reason: "\(error)") }
        let mine = Fact(id: makeID(), fingerprint: key.fingerprint)
        let file = KeyFile(of: mine.id, in: folder)
        try await onDisk { () throws(VaultError) in
            try folder.make()
            try folder.exclusively(patience) { () throws(VaultError) in try file.write([key]) }
        }
        let entry = StoredEntry(bytes: mine.bytes, savedAt: now())
        let noted: Fact
        do throws(StoreError) {
            noted = try await facts.decide(Self.factKey) { found throws(StoreError) -> (EntryChange, Fact) in
                if let entry = try found.get() { return (.keep, try Fact(reading: entry)) }
                return (.replace(entry), mine)
            }
        } catch { throw VaultError(error) }
        if noted != mine {
            // Nothing was sealed with it. One that cannot be deleted does no harm.
            try? await onDisk { () throws(VaultError) in
                try folder.exclusively(patience) { () throws(VaultError) in
                    try posix { () throws(StoreError) in try PrivateFile.shred(file.file.path) }
                }
            }
        }
        return noted
    }

    /// The record of the key in the store: a title with a version in 8 bytes, the id in 16 and the fingerprint in 16.
    private struct Fact: Sendable, Hashable {
        private static let title = Data("AQRING\u{0}\u{1}".utf8)

        let id: UUID
        let fingerprint: Data

        init(id: UUID, fingerprint: Data) { (self.id, self.fingerprint) = (id, fingerprint) }

        init(reading entry: StoredEntry) throws(StoreError) {
            let bytes = Data(entry.bytes)
            guard bytes.count == 40, bytes.prefix(8) == Self.title else {
                throw .unreadable(key: KeyRing.factKey, reason: "it is no note of a key of this version")
            }
            id = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(fromByteOffset: 8, as: uuid_t.self)) }
            fingerprint = Data(bytes[24...])
        }

        var bytes: Data { Self.title + withUnsafeBytes(of: id.uuid) { Data($0) } + fingerprint }
    }
}
