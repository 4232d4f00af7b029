import Aquifer
import Foundation

/// The users of the replicas that share a store: an entry of it, which each change replaces in one step.
public struct StoredUsers: UserRegister {
    private static let key = "users"
    /// The key of an entry that is there once a server has used the users.
    private static let mark = "users-made"
    private static let version = 1

    /// The content of the entry. Its change number is its `ETag`.
    private struct Content: Codable {
        let version: Int
        let users: [UserRecord]
    }

    private let store: any CacheStore

    /// What each user has alone.
    private let data: any CacheStore

    /// - Parameter data: the store of what each user has alone.
    init(in store: any CacheStore, besides data: any CacheStore) { (self.store, self.data) = (store, data) }

    /// See ``UserRegister/read()``.
    ///
    /// - Throws: ``UsersError/noneStored`` if nobody has been added.
    public func read() async throws(UsersError) -> [UserRecord] {
        guard let found = try await current() else { throw .noneStored }
        return found.users
    }

    /// See ``UserRegister/add(_:at:)``.
    public func add(_ name: UserName, at date: Date) async throws(UsersError) -> String {
        let token = UserToken.random()
        _ = try await current()
        try await change(at: date, mayCreate: true) { users throws(UsersError) in try users.add(name, token, at: date) }
        return token
    }

    /// See ``UserRegister/addToken(_:at:)``.
    public func addToken(_ name: UserName, at date: Date) async throws(UsersError) -> String {
        let token = UserToken.random()
        try await change(at: date) { users throws(UsersError) in try users.addToken(name, token, at: date) }
        return token
    }

    /// See ``UserRegister/endTokens(of:hash:)``.
    @discardableResult
    public func endTokens(of user: UserID, hash: String? = nil) async throws(UsersError) -> Int {
        try await change { users in users.endTokens(of: user, hash: hash) }
    }

    /// See ``UserRegister/setLeaving(_:_:)``.
    public func setLeaving(_ user: UserID, _ isLeaving: Bool) async throws(UsersError) {
        try await change { users in users.setLeaving(user, isLeaving) }
    }

    /// See ``UserRegister/remove(_:)``.
    public func remove(_ user: UserID) async throws(UsersError) {
        try await change { users in users.remove(user) }
    }

    /// See ``UserRegister/settled(in:)``. The users and their data are in the same stores.
    public func settled(in place: UsersPlace) async throws(UsersError) -> any UserRegister {
        if try await current() == nil { try await change(mayCreate: true) { _ in } }
        let mark = StoredEntry(bytes: Data(), savedAt: Date(timeIntervalSince1970: 0))
        try await told { () async throws(StoreError) in try await store.insert(mark, for: Self.mark) }
        return self
    }

    /// `nil`: the data is in the stores that have the users.
    public func place() async throws(UsersError) -> UsersPlace? { nil }

    /// See ``UserRegister/changed(since:)``.
    public func changed(since version: String?) async throws(UsersError) -> UsersVersion? {
        // All of it is read each time: a look at the list of entries would not notice that the users are damaged.
        guard let found = try await current() else { throw .noneStored }
        return found.version == version ? nil : found
    }

    /// See ``UserRegister/observe(_:)``.
    public func observe(_ onChange: @escaping @Sendable () -> Void) -> StoreObservation? {
        store.changes.observe { change in if change.concerns(Self.key) { onChange() } }
    }

    // MARK: The entry

    /// The users; `nil` if nobody has ever been added. If replicas have served them, or they have data, and the entry is gone, they are not
    /// nobody.
    private func current() async throws(UsersError) -> UsersVersion? {
        if let entry = try await retrieve(Self.key) { return try Self.users(in: entry) }
        let hasData = try await told { () async throws(StoreError) in try await UserGround.isAny(in: data) }
        if try await retrieve(Self.mark) != nil || hasData { throw .damagedInStore("it is gone") }
        return nil
    }

    private func retrieve(_ key: String) async throws(UsersError) -> StoredEntry? {
        try await told { () async throws(StoreError) in try await store.retrieve(key) }
    }

    private static func users(in entry: StoredEntry) throws(UsersError) -> UsersVersion {
        // Another version may have another form, but says so.
        struct Head: Decodable { let version: Int }
        let decoder = JSONDecoder()
        // Bytes that cannot be decoded are damaged.
        guard let number = entry.validators.etag, let head = try? decoder.decode(Head.self, from: entry.bytes) else {
            throw .damagedInStore("it is no list of users")
        }
        guard head.version == version else {
            throw .store(.otherVersion(path: "the list of users in the store", found: head.version, supported: version))
        }
        // The reason is that another version, or somebody else, has written it.
        guard let content = try? decoder.decode(Content.self, from: entry.bytes) else {
            throw .damagedInStore("it is no list of users of this version")
        }
        return UsersVersion(version: number, users: content.users)
    }

    /// - Parameter date: stamps the entry; without one it keeps its stamp.
    @discardableResult
    private func change<Value: Sendable>(
        at date: Date? = nil, mayCreate: Bool = false,
        _ edit: @Sendable (inout [UserRecord]) throws(UsersError) -> Value
    ) async throws(UsersError) -> Value {
        let made: Result<Value, UsersError> = try await told { () async throws(StoreError) in
            try await store.decide(Self.key) { found throws(StoreError) -> (EntryChange, Result<Value, UsersError>) in
                let entry = try found.get()
                do throws(UsersError) {
                    let before = try entry.map { entry throws(UsersError) in try Self.users(in: entry) }
                    guard before != nil || mayCreate else { throw .noneStored }
                    var users = before?.users ?? []
                    let value = try edit(&users)
                    let number = before.flatMap { UInt64($0.version) } ?? 0
                    // Texts can always be encoded.
                    guard let bytes = try? JSONEncoder().encode(Content(version: Self.version, users: users)) else {
                        throw .damagedInStore("its names cannot be written")
                    }
                    let next = StoredEntry(
                        bytes: bytes, savedAt: date ?? entry?.savedAt ?? Date(timeIntervalSince1970: 0),
                        validators: Validators(etag: "\(number &+ 1)"))
                    return (.replace(next), .success(value))
                } catch { return (.keep, .failure(error)) }
            }
        }
        return try made.get()
    }

    private func told<Value: Sendable>(
        _ body: () async throws(StoreError) -> Value
    ) async throws(UsersError) -> Value {
        do throws(StoreError) { return try await body() } catch {
            if case .unreadable(_, let reason) = error { throw .damagedInStore(reason) }
            throw .store(error)
        }
    }
}
