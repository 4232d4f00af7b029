import Aquifer
import AquiferAudioFeed
import AquiferCurl
import Foundation
import ReferenceAPIs

/// The base of all features: the client, the clock, and the stores of the data folder. Nothing is opened before its
/// first use.
struct Groundwork: Sendable {
    let configuration: Configuration
    /// The place of the stores.
    let place: any StorePlace
    let reference: ReferenceHost
    let client: any HTTPClient
    /// Lists and settings of all features.
    let values: MeteredStore
    /// Pictures of all features.
    let pictures: MeteredStore
    /// Phrases that were seen, and their settings.
    let phrases: MeteredStore
    /// Stored operations.
    let defaults: FoaasDefaults
    /// What the engine of all features does.
    let events: EventLog
    /// The sound that is kept.
    let sound: Lazy<Downloads, StoreError>

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
        let place = configuration.stores ?? LocalStores(folder)
        self.configuration = configuration
        self.place = place
        self.events = events
        self.reference = reference
        self.client = client
        values = MeteredStore(place.store(.values))
        pictures = MeteredStore(
            EvictingStore(place.store(.pictures), bound: Self.pictureBound, events: events))
        phrases = MeteredStore(place.store(.phrases))
        defaults = FoaasDefaults(in: folder)
        sound = Lazy { () throws(StoreError) in
            try Downloads(
                directory: folder.appending(path: "audio", directoryHint: .isDirectory), client: client,
                bound: AudioFeedService.bound, retry: configuration.retry, now: configuration.now,
                events: events)
        }
    }

    /// The clock.
    var now: @Sendable () -> Date { configuration.now }

    /// The server of an app: the one that the configuration names, or the reference remote.
    func base(of remote: ReferenceRemote) -> URL { configuration.remotes[remote] ?? ReferenceHost.base(of: remote) }

    /// A folder in the data folder.
    func folder(_ name: String) -> URL { configuration.data.appending(path: name, directoryHint: .isDirectory) }

    /// The place of the files of the outbox.
    var files: OutboxFiles {
        let own = OwnFolder(folder("copies"))
        return place.files { () throws(StoreError) in try own.prepared() }
    }
}
