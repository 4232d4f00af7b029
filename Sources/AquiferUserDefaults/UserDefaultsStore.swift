import Aquifer
import AquiferConcurrency
import AquiferHTTP
import Foundation

/// A store in `UserDefaults`, for a few small entries beside an app's settings.
///
/// An entry is a `Data` under its own key (characters outside ASCII percent-encoded), with header and checksums, so
/// that foreign data under the key is an error and never a value. `UserDefaults` has these limits:
///
/// - **Several processes.** A process sees the changes of others only after the system has passed them on, and one of
///   two simultaneous changes may be lost; ``update(_:_:)`` is atomic within one process only.
/// - **`kill -9`.** Each change is handed to the system with `synchronize()`. On Linux that overwrites the whole file
///   in place: a process killed at that moment can truncate the file and lose all its entries. On Apple systems the
///   system chooses the time of the write.
/// - **Damage of the file.** A damaged entry is an error. But the file is the system's own: damage of its structure may
///   hide entries without an error. Keep what cannot be loaded again in `SQLiteStore` or `FileStore`.
/// - **Changes.** ``changes`` tells those made through this instance only.
/// - **Size.** All entries are read into memory at the start. Keep large or many entries in `SQLiteStore` or
///   `FileStore`.
public final class UserDefaultsStore: CacheStore {
    // Its documentation says that it is thread-safe; not every platform marks it so.
    nonisolated(unsafe) private let defaults: UserDefaults
    private let prefix: String

    /// All instances share one lock, because two of them may use the same defaults. It guards no value of its own. An
    /// empty value would share its address with the lock, which the thread sanitizer reports as a race.
    private static let turn = Locked(true)

    /// See `CacheStore.changes`. Tells the changes made through this instance.
    public let changes = StoreChanges()

    /// A store in these defaults.
    ///
    /// - Parameters:
    ///   - defaults: the domain. No other code may use this instance of it.
    ///   - prefix: the prefix of the keys in the defaults, which distinguishes the entries from other settings.
    public init(_ defaults: sending UserDefaults = .standard, prefix: String = "") {
        self.defaults = defaults
        self.prefix = prefix
    }

    /// See `CacheStore.retrieve(_:)`.
    public func retrieve(_ key: String) async throws(StoreError) -> StoredEntry? { try entry(for: key) }

    /// See `CacheStore.insert(_:for:)`.
    public func insert(_ entry: StoredEntry, for key: String) async throws(StoreError) { try set(entry, for: key) }

    /// See `CacheStore.delete(_:)`.
    public func delete(_ key: String) async throws(StoreError) { try remove(key) }

    /// See `CacheStore.update(_:_:)`.
    public func update(
        _ key: String, _ decide: @Sendable (Result<StoredEntry?, StoreError>) throws(StoreError) -> EntryChange
    ) async throws(StoreError) {
        let name = try name(of: key)
        let hasChanged = try Self.turn.withLock { _ throws(StoreError) in
            let current: Result<StoredEntry?, StoreError>
            do throws(StoreError) { current = .success(try read(name, key)) } catch { current = .failure(error) }
            switch try decide(current) {
            case .keep: return false
            case .replace(let entry): try write(entry, name, key)
            case .delete: return try erase(name)
            }
            return true
        }
        if hasChanged { changes.post(.entry(key)) }
    }

    /// See `CacheStore.contents()`. The place of a damaged entry is its name in the defaults.
    ///
    /// Settings of other kinds may share the defaults. Unreadable data counts as a damaged entry when it begins like an
    /// entry, or when this store has a prefix of its own.
    public func contents() async throws(StoreError) -> StoreContents {
        Self.turn.withLock { _ in
            var contents = StoreContents()
            for (name, value) in defaults.dictionaryRepresentation() where name.hasPrefix(prefix) {
                switch look(name, value) {
                case .success(let summary?): contents.entries.append(summary)
                case .success(nil): continue
                case .failure(let damage):
                    let key = Self.decoded(String(name.dropFirst(prefix.count)))
                    contents.damaged.append(DamagedEntry(key: key, place: name, reason: damage.reason))
                }
            }
            return contents
        }
    }

    /// See `CacheStore.contents(prefix:)`. Looks at all defaults, as `contents()` does.
    public func contents(prefix: String) async throws(StoreError) -> StoreContents {
        try await contents().beginning(with: prefix)
    }

    /// See `CacheStore.deleteAll(prefix:)`. The entries are handed to the system together; settings of other kinds stay.
    public func deleteAll(prefix: String) async throws(StoreError) {
        let all = try await contents()
        let names = names(all.beginning(with: prefix))
        if names.isEmpty { return }
        try Self.turn.withLock { _ throws(StoreError) in
            // After a failure the defaults may have forgotten the others, too.
            let before = self.names(all).map { ($0, defaults.object(forKey: $0)) }
            for name in names { defaults.removeObject(forKey: name) }
            guard defaults.synchronize() else {
                for (name, value) in before { defaults.set(value, forKey: name) }
                throw .failed(operation: "delete entries", reason: "UserDefaults could not be written to disk")
            }
        }
        changes.post(.prefix(prefix))
    }

    /// The names of listed entries in the defaults.
    private func names(_ contents: StoreContents) -> [String] {
        contents.entries.map { prefix + Self.encoded($0.key) } + contents.damaged.map(\.place)
    }

    /// See `CacheStore.remove(_:)`.
    public func remove(_ damaged: DamagedEntry) async throws(StoreError) {
        let name = damaged.place
        let hasChanged = try Self.turn.withLock { _ throws(StoreError) in
            guard name.hasPrefix(prefix), let value = defaults.object(forKey: name),
                case .failure = look(name, value)
            else { return false }
            return try erase(name)
        }
        let key = Self.decoded(String(name.dropFirst(prefix.count)))
        if hasChanged { changes.post(key.map { .entry($0) } ?? .everything) }
    }

    /// The entry under a name; `nil` if it is a setting.
    private func look(_ name: String, _ value: Any) -> Result<StoredEntry.Summary?, SealedEntry.Damage> {
        guard let data = value as? Data, !prefix.isEmpty || EntryCoding.isEntry(data) else { return .success(nil) }
        do throws(SealedEntry.Damage) {
            let summary = try SealedEntry(data: data).summary()
            guard prefix + Self.encoded(summary.key) == name else { return .failure(.init("it is another key's")) }
            return .success(summary)
        } catch {
            return .failure(error)
        }
    }

    // MARK: Without waiting

    /// ``retrieve(_:)`` without waiting: `UserDefaults` are in memory.
    public func entry(for key: String) throws(StoreError) -> StoredEntry? {
        let name = try name(of: key)
        return try Self.turn.withLock { _ throws(StoreError) in try read(name, key) }
    }

    /// ``insert(_:for:)`` without waiting.
    public func set(_ entry: StoredEntry, for key: String) throws(StoreError) {
        let name = try name(of: key)
        try Self.turn.withLock { _ throws(StoreError) in try write(entry, name, key) }
        changes.post(.entry(key))
    }

    /// ``delete(_:)`` without waiting.
    public func remove(_ key: String) throws(StoreError) {
        let name = try name(of: key)
        if try Self.turn.withLock({ _ throws(StoreError) in try erase(name) }) { changes.post(.entry(key)) }
    }

    // MARK: Under the lock

    private func read(_ name: String, _ key: String) throws(StoreError) -> StoredEntry? {
        guard let object = defaults.object(forKey: name) else { return nil }
        guard let data = object as? Data else {
            throw .unreadable(key: key, reason: "UserDefaults hold something else under it, which is left alone")
        }
        return try SealedEntry(data: data).entry(for: key)
    }

    private func write(_ entry: StoredEntry, _ name: String, _ key: String) throws(StoreError) {
        try change(name, to: try SealedEntry(entry, key: key).data, "insert \"\(key)\"")
    }

    /// Deletes an entry; false if there is none.
    private func erase(_ name: String) throws(StoreError) -> Bool {
        guard defaults.object(forKey: name) != nil else { return false }
        try change(name, to: nil, "delete an entry")
        return true
    }

    /// Restores the earlier value when the defaults cannot be written, because they would keep showing the new value.
    private func change(_ name: String, to data: Data?, _ operation: String) throws(StoreError) {
        let before = defaults.object(forKey: name)
        defaults.set(data, forKey: name)
        guard defaults.synchronize() else {
            defaults.set(before, forKey: name)
            throw .failed(operation: operation, reason: "UserDefaults could not be written to disk")
        }
    }

    private func name(of key: String) throws(StoreError) -> String {
        prefix + Self.encoded(try StoreKey(checking: key).text)
    }

    /// The key of a name; `nil` if the name has none.
    private static func decoded(_ name: String) -> String? {
        let key = PercentEncoding.decode(name)
        return !key.isEmpty && encoded(key) == name ? key : nil
    }

    /// Keys are equal if their bytes are equal, which `UserDefaults` guarantees for ASCII only.
    private static func encoded(_ key: String) -> String {
        PercentEncoding.encode(key) { (0x20...0x7e).contains($0) && $0 != UInt8(ascii: "%") }
    }
}
