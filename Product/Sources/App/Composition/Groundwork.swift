import Aquifer
import AquiferAudioFeed
import AquiferCurl
import AquiferPayments
import Foundation
import ReferenceAPIs

/// The base of all features: the client, the clock, and the stores of the data folder. Nothing is opened before its
/// first use.
struct Groundwork: Sendable {
    private(set) var configuration: Configuration
    /// The place of the stores.
    let place: any StorePlace
    let reference: ReferenceHost
    let client: any HTTPClient
    /// Lists and settings of all features.
    let values: MeteredStore
    /// Pictures of all features.
    let pictures: MeteredStore
    /// Phrases that were seen, and their settings.
    private(set) var phrases: MeteredStore
    /// Stored operations.
    let defaults: FoaasDefaults
    /// The events of the engine, of all features.
    private(set) var events: EventLog
    /// The numbers of it.
    let engineMetrics = EngineMetrics()
    /// The numbers of the stores' calls.
    let storeMetrics = StoreMetrics()
    /// The queue of the outbox.
    private(set) var queue: any CacheStore
    /// The payments.
    private(set) var ledger: any CacheStore
    /// The sound that is kept.
    let sound: Lazy<Downloads, StoreError>
    /// The data of one user alone; `nil` if the server has one user only.
    private(set) var user: UserGround?
    /// The key with which what is secret is sealed in the stores; `nil` if it is in files of this machine.
    let ring: KeyRing?
    /// A folder of this process's own, for the files that are made from what is in stores.
    let copies: OwnFolder

    /// The maximum size of the saved pictures in bytes.
    static let pictureBound = 256 << 20

    init(_ configuration: Configuration) {
        let folder = configuration.data
        let reference = ReferenceHost(
            faults: configuration.faults, folder: folder.appending(path: "reference", directoryHint: .isDirectory))
        let client: any HTTPClient =
            configuration.offline
            ? OfflineClient("--offline was given")
            : ReferenceClient(
                client: CurlHTTPClient(configuration: .init(route: { reference.route($0, $1) })), host: reference)
        let events = EventLog(now: configuration.now, listener: engineMetrics)
        let place = configuration.stores ?? LocalStores(folder)
        self.configuration = configuration
        self.place = place
        self.events = events
        self.reference = reference
        self.client = client
        let counted = { [storeMetrics] kind in CountedStore(place.store(kind), kind, storeMetrics) }
        values = MeteredStore(counted(.values))
        pictures = MeteredStore(
            EvictingStore(counted(.pictures), bound: Self.pictureBound, events: events))
        phrases = MeteredStore(counted(.phrases))
        (queue, ledger) = (counted(.outbox), counted(.payments))
        defaults = FoaasDefaults(in: folder)
        ring = place.ring(in: configuration.keys, now: configuration.now)
        copies = OwnFolder(folder.appending(path: "copies", directoryHint: .isDirectory))
        sound = Lazy { () throws(StoreError) in
            try Downloads(
                directory: folder.appending(path: "audio", directoryHint: .isDirectory), client: client,
                bound: AudioFeedService.bound, retry: configuration.retry, now: configuration.now,
                events: events, check: AudioFeedService.check)
        }
    }

    /// The same for one of several users: what can be loaded again by all is shared, everything else is the user's own.
    func of(_ user: UserGround) -> Groundwork {
        var ground = self
        ground.user = user
        ground.configuration = configuration.of(user)
        ground.phrases = user.phrases
        (ground.queue, ground.ledger) = (user.store, user.store)
        ground.events = EventLog(now: now, listener: engineMetrics)
        return ground
    }

    /// Lists that are one user's alone: contacts, and storage accounts.
    var ownValues: MeteredStore { user?.values ?? values }

    /// True for the keys of what the store of the payments has beside them: the store of a user has everything of the user.
    var isNoPayment: @Sendable (String) -> Bool {
        guard user != nil else { return { _ in false } }
        return { KnownEntries.isNoPayment($0) }
    }

    /// The clock.
    var now: @Sendable () -> Date { configuration.now }

    /// The server of an app: the one that the configuration names, or the reference remote.
    func base(of remote: ReferenceRemote) -> URL { configuration.remotes[remote] ?? ReferenceHost.base(of: remote) }

    /// A folder in the data folder.
    func folder(_ name: String) -> URL { configuration.data.appending(path: name, directoryHint: .isDirectory) }

    /// The store of a kind, whose calls are counted.
    func store(_ kind: StoreKind) -> any CacheStore { CountedStore(place.store(kind), kind, storeMetrics) }

    /// True if the stores that every screen needs have answered. There is no entry of this key.
    ///
    /// - Parameter hasUsers: true if the server has several users: their data and their register are elsewhere than that of the only one.
    func storesAnswer(hasUsers: Bool = false) async -> Bool {
        do throws(StoreError) {
            _ = try await values.peek("aquifer:ready")
            for store in hasUsers ? [store(.users), store(.server)] : [queue] {
                _ = try await store.retrieve("aquifer:ready")
            }
            return true
        } catch {
            return false
        }
    }

    /// The place of the files of the outbox.
    var files: OutboxFiles {
        let (copies, id) = (copies, user?.user.id.text)
        return place.files(in: folder("outbox"), own: user?.store) { () throws(StoreError) in
            // The outbox of each user deletes what is not its own.
            let folder = try copies.prepared().appending(
                path: id.map { "of-\($0)" } ?? "own", directoryHint: .isDirectory)
            try POSIX.makeFolder(folder.path(percentEncoded: false))
            return folder
        }
    }

    /// The vault of the cards.
    var vault: CardVault {
        guard let ring else { return CardVault(directory: folder("cards"), keys: configuration.keys) }
        // No quota refuses a card.
        return CardVault(in: user?.scope.store ?? ledger, sealedWith: ring, of: owner, now: now)
    }

    /// The drafts that pages have handed over and not sent, where all replicas find them; `nil` if it is a file of this process.
    var drafts: (any CacheStore)? { place.drafts(own: user?.store) }

    /// The name under which what is secret is sealed.
    var owner: String { user.map { "user/\($0.user.id)" } ?? "" }
}
