import Aquifer
import AquiferConcurrency
import AquiferFoundation
import AquiferUserDefaults

/// Keeps the operations in `UserDefaults`, as the specification asks. An app starts with it:
///
/// ```swift
/// FoaasAPIManager.configure(service)
/// let operations = try await FoaasDataManager.shared.loadOrRequest()
/// ```
///
/// There is one form of saving: an entry of `UserDefaultsStore` under `FoaasOperationsKey`, encoded by the codec
/// below and good for seven days like everything else. ``load()`` returns false for foreign data under the key, and
/// leaves it there until something is saved.
public final class FoaasDataManager: Sendable {
    /// The manager that apps use, over `UserDefaults.standard`.
    public static let shared = FoaasDataManager(UserDefaultsStore())

    /// The key in `UserDefaults`.
    static let operationsKey = "FoaasOperationsKey"

    /// The operations that were last saved or loaded; `nil` before either, and after they were deleted.
    public var operations: [FoaasOperation]? { known.withLock { $0 } }

    private let known = Locked<[FoaasOperation]?>(nil)
    private let open: @Sendable () throws(StoreError) -> UserDefaultsStore
    private let opened = Locked<UserDefaultsStore?>(nil)
    private let key: String
    private let center: NotificationCenter
    private let now: @Sendable () -> Date

    /// A manager over a store of its own.
    ///
    /// - Parameters:
    ///   - store: keeps the operations; for this manager alone.
    ///   - center: posts that operations are known: see ``loadOrRequest(_:)``.
    ///   - now: the clock for dates and ages.
    public convenience init(
        _ store: UserDefaultsStore, center: NotificationCenter = .default,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(center: center, now: now, opening: { store })
    }

    /// A manager over a store that is opened, once, by the first call that needs it.
    ///
    /// - Parameters:
    ///   - server: the server of the operations, for a store that holds those of several servers. Operations of another
    ///     server are never delivered.
    ///   - center: posts that operations are known: see ``loadOrRequest(_:)``.
    ///   - now: the clock for dates and ages.
    ///   - open: opens the store. As long as it throws, nothing is saved or loaded, and the next call opens again.
    public init(
        server: URL? = nil, center: NotificationCenter = .default, now: @escaping @Sendable () -> Date = { Date() },
        opening open: @escaping @Sendable () throws(StoreError) -> UserDefaultsStore
    ) {
        self.open = open
        key = server.map { "\(Self.operationsKey) \($0.absoluteString)" } ?? Self.operationsKey
        self.center = center
        self.now = now
    }

    /// Saves the operations in place of those before.
    ///
    /// - Returns: true if they were saved. ``operations`` are the new ones either way.
    @discardableResult
    public func save(operations: [FoaasOperation]) -> Bool { save(operations, savedAt: now()) }

    /// Loads the operations that were saved less than seven days ago.
    ///
    /// - Returns: true if there were any that can be read. If not, ``operations`` stay as they are.
    public func load() -> Bool {
        do {
            guard let entry = try store.entry(for: key),
                CachePolicy.sevenDays.isFresh(entry.savedAt, at: now())
            else { return false }
            let operations = try Self.codec.decode(entry.bytes)
            known.withLock { $0 = operations }
            return true
        } catch { return false }
    }

    /// Deletes the saved operations; ``operations`` is then `nil`.
    public func deleteStoredOperations() {
        known.withLock { $0 = nil }
        // An entry that cannot be deleted expires after seven days.
        try? store.remove(key)
    }

    /// Loads the stored operations when an app starts. If there are none, requests them and stores them. Then posts
    /// `.foaasOperationsDidUpdate`.
    ///
    /// - Parameter request: asks the remote; ``FoaasAPIManager/loadOperations()`` unless told otherwise.
    /// - Throws: `LoadError` when nothing is stored and the request fails. Nothing is posted then.
    @discardableResult
    public func loadOrRequest(
        _ request: @Sendable () async throws(LoadError) -> Loaded<FoaasOperations> = { () async throws(LoadError) in
            try await FoaasAPIManager.loadOperations()
        }
    ) async throws(LoadError) -> [FoaasOperation] {
        let operations = try await storedOrRequested(request)
        center.postFoaasOperations(operations)
        return operations
    }

    /// ``loadOrRequest(_:)`` without telling others.
    func storedOrRequested(
        _ request: @Sendable () async throws(LoadError) -> Loaded<FoaasOperations>
    ) async throws(LoadError) -> [FoaasOperation] {
        if load(), let operations { return operations }
        let loaded = try await request()
        // A copy that stood in for the latest keeps its age.
        save(loaded.value.operations, savedAt: loaded.savedAt ?? now())
        return loaded.value.operations
    }

    @discardableResult
    private func save(_ operations: [FoaasOperation], savedAt: Date) -> Bool {
        known.withLock { $0 = operations }
        do {
            let bytes = try Self.codec.encode(operations)
            try store.set(StoredEntry(bytes: bytes, savedAt: savedAt), for: key)
            return true
        } catch { return false }
    }

    private var store: UserDefaultsStore {
        get throws(StoreError) {
            try opened.withLock { opened throws(StoreError) in
                if let opened { return opened }
                let store = try open()
                opened = store
                return store
            }
        }
    }

    /// A JSON list of the operations, each encoded by ``DataConvertible``.
    static let codec = CacheCodec<[FoaasOperation]>(
        encode: { operations in
            let written = try operations.map { String(decoding: try $0.toData(), as: UTF8.self) }
            return Data("[\(written.joined(separator: ","))]".utf8)
        },
        decode: { data in
            let list = try FoaasJSON.objects(data) as? [[String: AnyObject]]
            let operations = list?.compactMap(FoaasOperation.init(json:))
            guard let list, let operations, operations.count == list.count else {
                throw InvalidData.body("the list of operations cannot be read")
            }
            return operations
        })
}
