import Aquifer
import Foundation

/// Storage accounts and their files: made, listed, changed, shown offline.
///
/// - What changes something is sent once. Only a transaction that was refused because its blockhash was too old is made
///   anew with a fresh one, once.
/// - Lists come from the remote, else from what was saved less than seven days ago.
/// - The secret key stays in ``Keypair``: no state, no error and no saved entry holds it.
public final class ShadowDriveService: Sendable {
    /// The REST API.
    public let api: ShadowDriveAPI
    /// Solana.
    public let rpc: SolanaRPC
    /// The program and its accounts.
    public let program: ShadowDriveProgram
    /// Whose accounts these are; `nil` where there is no key.
    public let owner: PublicKey?
    /// The saved list of the owner's accounts; `nil` where there is no key.
    public let shelf: AccountShelf?
    /// The owner's accounts: the latest, or those saved less than seven days ago; `nil` where there is no key.
    public let accounts: Resource<AccountList>?
    /// What every transaction may compute.
    public let computeBudget: ComputeBudget

    let now: @Sendable () -> Date
    let store: any CacheStore
    private let keypair: Keypair?
    /// One account at a time is made here: until it is, the next one would take the same number.
    let creation = Turnstile()
    private let contents = Locked<[PublicKey: (Cache<AccountContents>, Resource<AccountContents>)]>([:])

    /// Shadow Drive for one owner.
    ///
    /// - Parameters:
    ///   - program: of v1, unless the server signs with a key of its own: ``ShadowDriveProgram/v1(uploader:)``.
    ///   - keypair: the owner's; without it accounts cannot be made, changed or listed, and files still be looked at.
    ///   - store: keeps the lists.
    ///   - computeBudget: what every transaction may compute; nothing is said of it unless told otherwise.
    ///   - now: the clock.
    public init(
        api: ShadowDriveAPI, rpc: SolanaRPC, program: ShadowDriveProgram = .v1, keypair: Keypair?,
        store: any CacheStore, computeBudget: ComputeBudget = .none,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.api = api
        self.rpc = rpc
        self.program = program
        self.keypair = keypair
        self.store = store
        self.computeBudget = computeBudget
        self.now = now
        owner = keypair?.publicKey
        shelf = keypair.map { AccountShelf(key: Self.key(api, $0.publicKey), store: store, now: now) }
        if let shelf, let owner = keypair?.publicKey {
            let loader = AccountListLoader(api: api, rpc: rpc, program: program, owner: owner)
            accounts = Resource(
                remote: RemoteLoader { (_: Validators) async throws(LoadError) in
                    .value(try await loader.load(), .none)
                }, cache: shelf.cache)
        } else {
            accounts = nil
        }
    }

    /// What is in an account: the latest, or what was saved less than seven days ago.
    public func contents(of account: PublicKey) -> Resource<AccountContents> { shelved(account).1 }

    /// The saved contents of an account.
    func savedContents(of account: PublicKey) -> Cache<AccountContents> { shelved(account).0 }

    private func shelved(_ account: PublicKey) -> (Cache<AccountContents>, Resource<AccountContents>) {
        contents.withLock { known in
            if let shelved = known[account] { return shelved }
            let cache = Cache<AccountContents>(
                key: "drive-contents:\(api.base.absoluteString):\(account)", in: store, now: now)
            let resource = Resource(
                remote: RemoteLoader<AccountContents> { [api] (_: Validators) async throws(LoadError) in
                    .value(try await Self.load(account, api), .none)
                }, cache: cache)
            known[account] = (cache, resource)
            return (cache, resource)
        }
    }

    private static func load(_ account: PublicKey, _ api: ShadowDriveAPI) async throws(LoadError) -> AccountContents {
        do throws(DriveError) {
            let info = try await api.storageAccountInfo(account)
            return AccountContents(account: info, files: try await api.listFiles(in: account))
        } catch { throw error.loadError }
    }

    /// The prices and limits of the program; `nil` where the chain does not tell.
    public func storageConfig() async throws(DriveError) -> StorageConfig? {
        try await rpc.account(program.storageConfig, of: program.id)
    }

    /// The key that signs.
    func signer() throws(DriveError) -> Keypair {
        guard let keypair else { throw .noKeypair }
        return keypair
    }

    /// The key under which an owner's list is saved: the copy of one server is never shown as that of another.
    static func key(_ api: ShadowDriveAPI, _ owner: PublicKey) -> String {
        "drive-accounts:\(api.base.absoluteString):\(owner)"
    }
}
