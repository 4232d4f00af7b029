import Aquifer
import AquiferConcurrency
import AquiferFoundation

/// Creates, lists and changes storage accounts and their files, and shows them offline.
///
/// - A change is sent once. A transaction is signed a second time only if the server did not know its blockhash, and
///   only after the first one can no longer be carried out.
/// - A list comes from the remote, or else from a copy saved less than seven days ago.
/// - The secret key stays in `Keypair`: no state, no error and no saved entry holds it.
public final class ShadowDriveService: Sendable {
    /// The entries that the feature saves.
    public static let entries = [accountLists, contentLists]
    private static let accountLists = EntryFamily("drive-accounts:", codec: CacheCodec<AccountList>.json)
    private static let contentLists = EntryFamily("drive-contents:", codec: CacheCodec<AccountContents>.json)

    /// The REST API.
    public let api: ShadowDriveAPI
    /// Solana.
    public let rpc: SolanaRPC
    /// The program and its accounts.
    public let program: ShadowDriveProgram
    /// The owner of the accounts; `nil` if there is no key.
    public let owner: PublicKey?
    /// The saved list of the owner's accounts; `nil` if there is no key.
    public let shelf: AccountShelf?
    /// The owner's accounts: the latest, or those saved less than seven days ago; `nil` if there is no key.
    public let accounts: Resource<AccountList>?
    /// The compute budget of every transaction.
    public let computeBudget: ComputeBudget

    let now: @Sendable () -> Date
    let clock: any Clock<Duration>
    let store: any CacheStore
    private let patience: Duration?
    private let keypair: Keypair?
    /// Admits one creation of an account at a time. Two concurrent creations would use the same number.
    let creation = Turnstile()
    private let contents = Locked<[PublicKey: (Cache<AccountContents>, Resource<AccountContents>)]>([:])

    /// Shadow Drive for one owner.
    ///
    /// - Parameters:
    ///   - api: the storage API.
    ///   - rpc: a node of Solana's.
    ///   - program: the program of v1 by default; `ShadowDriveProgram.v1(uploader:)` for a server with its own key.
    ///   - keypair: the owner's key pair. Without it, accounts cannot be created, changed or listed; files can still be
    ///     read.
    ///   - store: the store of the saved lists.
    ///   - patience: the time after which a load delivers the saved copy while the server has not answered; `nil` waits.
    ///   - computeBudget: the compute budget of every transaction; no budget is set by default.
    ///   - clock: the clock that times the wait for the chain.
    ///   - now: the source of the current time.
    ///   - events: told what the engine does; `nil` if nobody listens.
    public init(
        api: ShadowDriveAPI, rpc: SolanaRPC, program: ShadowDriveProgram = .v1, keypair: Keypair?,
        store: any CacheStore, patience: Duration? = nil, computeBudget: ComputeBudget = .none,
        clock: any Clock<Duration> = ContinuousClock(), now: @escaping @Sendable () -> Date = { Date() },
        events: (any AquiferEvents)? = nil
    ) {
        self.api = api
        self.rpc = rpc
        self.program = program
        self.keypair = keypair
        self.store = store
        self.patience = patience
        self.computeBudget = computeBudget
        self.now = now
        self.clock = clock
        owner = keypair?.publicKey
        shelf = keypair.map {
            AccountShelf(
                key: Self.key(api, $0.publicKey), store: store, patience: patience, now: now, events: events)
        }
        if let shelf, let owner = keypair?.publicKey {
            let loader = AccountListLoader(api: api, rpc: rpc, program: program, owner: owner)
            accounts = Resource(
                remote: RemoteLoader { (_: Validators) async throws(LoadError) in
                    let asked = now()
                    let list = try await loader.load()
                    for account in list.accounts {
                        await Self.show(account, asked, in: Self.saved(account.address, api, store, now))
                    }
                    return .value(list, .none)
                }, cache: shelf.cache)
        } else {
            accounts = nil
        }
    }

    /// The contents of an account: the latest, or those saved less than seven days ago.
    public func contents(of account: PublicKey) -> Resource<AccountContents> { shelved(account).1 }

    /// The saved contents of an account.
    func savedContents(of account: PublicKey) -> Cache<AccountContents> { shelved(account).0 }

    private func shelved(_ account: PublicKey) -> (Cache<AccountContents>, Resource<AccountContents>) {
        contents.withLock { known in
            if let shelved = known[account] { return shelved }
            let cache = Self.saved(account, api, store, now, patience)
            let resource = Resource(
                remote: RemoteLoader<AccountContents> { [api, shelf, now] (_: Validators) async throws(LoadError) in
                    let asked = now()
                    let contents = try await Self.load(account, api)
                    // A list that cannot be read or changed now is corrected by its next load. A newer one stays.
                    if let list = try? await shelf?.cache.load(), list.savedAt <= asked {
                        try? await shelf?.amend(account) { $0 = contents.account }
                    }
                    return .value(contents, .none)
                }, cache: cache)
            known[account] = (cache, resource)
            return (cache, resource)
        }
    }

    private static func saved(
        _ account: PublicKey, _ api: ShadowDriveAPI, _ store: any CacheStore, _ now: @escaping @Sendable () -> Date,
        _ patience: Duration? = nil
    ) -> Cache<AccountContents> {
        Cache(
            key: contentLists.key("\(api.base.absoluteString):\(account)"), in: store,
            policy: CachePolicy(patience: patience), now: now)
    }

    /// Shows an account in its saved contents as the list has it, unless they are newer: screens of one account agree.
    private static func show(_ account: StorageAccount, _ asked: Date, in cache: Cache<AccountContents>) async {
        // Contents that cannot be read or changed now are corrected by their next load.
        let old = try? await cache.load()
        guard let old, old.value.account != account, old.savedAt <= asked else { return }
        try? await cache.amend { AccountContents(account: account, files: $0.files) }  // see above
    }

    private static func load(_ account: PublicKey, _ api: ShadowDriveAPI) async throws(LoadError) -> AccountContents {
        do throws(DriveError) {
            let info = try await api.storageAccountInfo(account)
            return AccountContents(account: info, files: try await api.listFiles(in: account))
        } catch { throw error.loadError }
    }

    /// The prices and limits of the program; `nil` if the chain does not have them.
    public func storageConfig() async throws(DriveError) -> StorageConfig? {
        try await rpc.account(program.storageConfig, of: program.id)
    }

    /// The key pair that signs.
    func signer() throws(DriveError) -> Keypair {
        guard let keypair else { throw .noKeypair }
        return keypair
    }

    /// The key under which an owner's list is saved: the copy of one server is never shown as that of another.
    static func key(_ api: ShadowDriveAPI, _ owner: PublicKey) -> String {
        accountLists.key("\(api.base.absoluteString):\(owner)")
    }
}
