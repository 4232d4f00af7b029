import Aquifer
import AquiferAudioFeed
import AquiferCurl
import AquiferSQLite
import Foundation
import ReferenceAPIs

/// The base of all features: the client, the clock, and the stores of the data folder. Nothing is opened before its
/// first use.
struct Groundwork: Sendable {
    private(set) var configuration: Configuration
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
    /// What the engine of all features does.
    private(set) var events: EventLog
    /// The sound that is kept.
    let sound: Lazy<Downloads, StoreError>
    /// What the user of these stores has alone; `nil` if the server has one user only.
    private(set) var user: UserGround?

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
        let events = EventLog(now: configuration.now)
        self.configuration = configuration
        self.events = events
        self.reference = reference
        self.client = client
        values = MeteredStore(Self.store("values.sqlite", in: folder))
        pictures = MeteredStore(
            EvictingStore(
                Self.store("pictures.sqlite", in: folder), bound: Self.pictureBound,
                events: events))
        phrases = MeteredStore(Self.store("foaas.sqlite", in: folder, isIrreplaceable: true))
        defaults = FoaasDefaults(in: folder)
        sound = Lazy { () throws(StoreError) in
            try Downloads(
                directory: folder.appending(path: "audio", directoryHint: .isDirectory), client: client,
                bound: AudioFeedService.bound, retry: configuration.retry, now: configuration.now,
                events: events)
        }
    }

    /// The same for one of several users: what can be loaded again by all is shared, everything else is the user's own.
    func of(_ user: UserGround) -> Groundwork {
        var ground = self
        ground.user = user
        ground.configuration = configuration.of(user)
        ground.phrases = user.phrases
        ground.events = EventLog(now: now)
        return ground
    }

    /// Lists that are one user's alone: contacts, and storage accounts.
    var ownValues: MeteredStore { user?.values ?? values }

    /// The clock.
    var now: @Sendable () -> Date { configuration.now }

    /// The server of an app: the one that the configuration names, or the reference remote.
    func base(of remote: ReferenceRemote) -> URL { configuration.remotes[remote] ?? ReferenceHost.base(of: remote) }

    /// A folder in the data folder.
    func folder(_ name: String) -> URL { configuration.data.appending(path: name, directoryHint: .isDirectory) }

    /// A store for what cannot be loaded again. A power loss takes nothing of it back.
    func irreplaceable(_ name: String) -> any CacheStore {
        user?.store ?? Self.store(name, in: configuration.data, durability: .power, isIrreplaceable: true)
    }

    private static func store(
        _ name: String, in folder: URL, durability: SQLiteStore.Durability = .process, isIrreplaceable: Bool = false
    ) -> any CacheStore {
        LazyStore { () throws(StoreError) in
            try SQLiteStore(
                file: folder.appending(path: name), durability: durability, isIrreplaceable: isIrreplaceable)
        }
    }
}
