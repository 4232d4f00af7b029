import Aquifer
import AquiferPayments
import AquiferPostgres
import Foundation

/// The kinds of data that the product keeps: one store each.
public enum StoreKind: String, Sendable, CaseIterable {
    /// Lists and settings of all features.
    case values
    /// Pictures of all features.
    case pictures
    /// Phrases that were seen, and their settings.
    case phrases = "foaas"
    /// Payments, and the choice of a card.
    case payments
    /// The items that wait to be sent.
    case outbox
    /// The files of what waits, where they are in a store.
    case files
    /// The facts that the replicas of a server must agree on.
    case server
    /// The data of each of several users, in a scope each, and what the pages of the only one have handed over.
    case users

    /// True if everything in it can be loaded again, and most reads are of what was read before.
    var isCache: Bool { self == .values || self == .pictures }
    /// True if nothing in it can be loaded again.
    var isIrreplaceable: Bool { !isCache }
    /// True if not even a loss of power may take a change back.
    var outlivesPower: Bool { isIrreplaceable && self != .phrases }
}

/// The place of the product's stores: a folder of this machine, or servers that machines share. Nothing else in the product
/// asks which of them it is.
public protocol StorePlace: Sendable {
    /// The store of a kind: the same one each time.
    func store(_ kind: StoreKind) -> any CacheStore
    /// The name of a store, for reports.
    func name(of kind: StoreKind) -> String
    /// The place of the files of what waits.
    ///
    /// - Parameters:
    ///   - folder: the folder for them, if they are files of this machine.
    ///   - own: the store of the one of several users whose files these are; `nil` for the only user.
    ///   - copies: gives a folder of this process's own.
    func files(
        in folder: URL, own: (any CacheStore)?, copies: @escaping @Sendable () throws(StoreError) -> URL
    ) -> OutboxFiles
    /// The store of what pages have handed over and not sent; `nil` if it is a file of this process.
    ///
    /// - Parameter own: as for the files of what waits.
    func drafts(own: (any CacheStore)?) -> (any CacheStore)?
    /// The key with which what is secret is sealed in the stores; `nil` if it is in files of this machine.
    ///
    /// - Parameters:
    ///   - keys: the folder of the keys.
    ///   - now: the clock.
    func ring(in keys: URL, now: @escaping @Sendable () -> Date) -> KeyRing?
    /// The users of a server that has several; `nil` if they are in a file only.
    var users: StoredUsers? { get }
    /// True if the folders of a user belong to no other server, so that they end with the user.
    var ownsFolders: Bool { get }
    /// The token of the server, which is made at its first use and stays.
    ///
    /// - Throws: ``StoreError`` if replicas could not agree on one.
    func token() async throws(StoreError) -> String
    /// The token of the server; `nil` if no server has made one.
    ///
    /// - Throws: ``StoreError`` if that cannot be read.
    func savedToken() async throws(StoreError) -> String?
    /// The connections and the memory of each store, for metrics; empty where stores have neither.
    var uses: [StoreUse] { get }
}

/// The connections and the memory of a store at one moment.
public struct StoreUse: Sendable {
    /// The kind of the store.
    public let kind: StoreKind
    /// Its connections to PostgreSQL.
    public let pool: PoolUse
    /// The bytes of its entries in memory; `nil` for a store without memory before it.
    public var memoryBytes: Int?
    /// The number of entries that memory has forgotten to make room.
    public var memoryEvictions: Int?
}

extension StorePlace {
    /// None.
    public var uses: [StoreUse] { [] }
}

/// Stores that machines share have all of this in them.
extension StorePlace {
    /// The name of its schema in PostgreSQL.
    public func name(of kind: StoreKind) -> String { "aquifer_\(kind.rawValue)" }

    /// In a store of their own, or among what the user has alone.
    public func files(
        in folder: URL, own: (any CacheStore)?, copies: @escaping @Sendable () throws(StoreError) -> URL
    ) -> OutboxFiles {
        .store(own ?? store(.files), copies: copies)
    }

    /// Among what the user has alone.
    public func drafts(own: (any CacheStore)?) -> (any CacheStore)? { own ?? Scope("drafts", in: store(.users)).store }

    /// One for all machines.
    public func ring(in keys: URL, now: @escaping @Sendable () -> Date) -> KeyRing? {
        KeyRing(folder: keys, facts: store(.server), now: now)
    }

    /// Among the facts that the replicas agree on.
    public var users: StoredUsers? { StoredUsers(in: store(.server), besides: store(.users)) }

    /// False: a folder of the same name on another machine may be another server's.
    public var ownsFolders: Bool { false }

    /// One for all: the first replica to ask makes it.
    public func token() async throws(StoreError) -> String { try await AccessToken.kept(in: store(.server)) }

    /// The one for all.
    public func savedToken() async throws(StoreError) -> String? { try await AccessToken.saved(in: store(.server)) }
}
