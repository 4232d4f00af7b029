import Aquifer
import Foundation

/// Keeps the operations in `UserDefaults`, as the specification asks.
///
/// There is one way of saving: an entry of ``UserDefaultsStore`` under `FoaasOperationsKey`, made by the codec below and
/// good for seven days like everything else. Foreign data under the key is an error to ``load()``, and left alone until
/// something is saved.
public final class FoaasDataManager: Sendable {
    /// The one that apps use, over `UserDefaults.standard`.
    public static let shared = FoaasDataManager(UserDefaultsStore())

    /// The key in `UserDefaults`.
    static let operationsKey = "FoaasOperationsKey"

    /// The operations that were last saved or loaded; `nil` before either, and after they were deleted.
    public var operations: [FoaasOperation]? { known.withLock { $0 } }

    private let known = Locked<[FoaasOperation]?>(nil)
    private let store: UserDefaultsStore
    private let now: @Sendable () -> Date

    /// A manager over a store of its own.
    public init(_ store: UserDefaultsStore, now: @escaping @Sendable () -> Date = { Date() }) {
        self.store = store
        self.now = now
    }

    /// Saves the operations in place of those before.
    ///
    /// - Returns: whether they were saved. They are known from now on either way.
    @discardableResult
    public func save(operations: [FoaasOperation]) -> Bool {
        known.withLock { $0 = operations }
        do {
            let bytes = try Self.codec.encode(operations)
            try store.set(StoredEntry(bytes: bytes, savedAt: now()), for: Self.operationsKey)
            return true
        } catch { return false }
    }

    /// Loads the operations that were saved less than seven days ago.
    ///
    /// - Returns: whether there were any that can be read. If not, ``operations`` stay as they are.
    public func load() -> Bool {
        do {
            guard let entry = try store.entry(for: Self.operationsKey),
                CachePolicy.sevenDays.isFresh(entry.savedAt, at: now())
            else { return false }
            let operations = try Self.codec.decode(entry.bytes)
            known.withLock { $0 = operations }
            return true
        } catch { return false }
    }

    /// Deletes what was saved, and forgets it.
    public func deleteStoredOperations() {
        known.withLock { $0 = nil }
        // What cannot be deleted will not be believed for longer than seven days.
        try? store.remove(Self.operationsKey)
    }

    /// The operations: those stored, if they can be loaded; else those that ``FoaasAPIManager`` is asked for, stored.
    ///
    /// - Throws: ``LoadError`` when nothing is stored and the remote gives nothing.
    public func loadOrRequest() async throws(LoadError) -> [FoaasOperation] {
        if load(), let operations { return operations }
        let latest = try await FoaasAPIManager.getOperations()
        save(operations: latest)
        return latest
    }

    /// A JSON list of what each operation becomes by ``DataConvertible``.
    static let codec = CacheCodec<[FoaasOperation]>(
        encode: { operations in
            let written = try operations.map { String(decoding: try $0.toData(), as: UTF8.self) }
            return Data("[\(written.joined(separator: ","))]".utf8)
        },
        decode: { data in
            let list = try JSONSerialization.jsonObject(with: data) as? [[String: AnyObject]]
            let operations = list?.compactMap(FoaasOperation.init(json:))
            guard let list, let operations, operations.count == list.count else {
                throw InvalidData.body("the list of operations cannot be read")
            }
            return operations
        })
}
