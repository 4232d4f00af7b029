import Aquifer
import AquiferAudioFeed
import AquiferConcurrency
import AquiferFoaas
import AquiferImageFeed
import AquiferPayments
import AquiferShadowDrive
import Foundation
import ReferenceAPIs

/// The composition root. It chooses stores, client and clock, and injects them into the features. The command line, the
/// server and the tests all build the product here.
public final class Services: Sendable {
    /// The image feed.
    public var feed: FeedService { made.withLock { Self.part(&$0.feed) { FeedService(groundwork) } } }
    /// Contacts, cards and payments.
    public var payments: PaymentsService { made.withLock { Self.part(&$0.payments) { PaymentsService(groundwork) } } }
    /// Phrases and operations.
    public var foaas: FoaasService {
        made.withLock { Self.part(&$0.foaas) { FoaasService(groundwork, center: foaasCenter) } }
    }
    /// Clips to be heard and posted.
    public var audio: AudioFeedService { made.withLock { Self.part(&$0.audio) { AudioFeedService(groundwork) } } }
    /// Everything that is saved.
    public var inspector: Inspector { made.withLock { Self.part(&$0.inspector) { Inspector(groundwork) } } }
    /// Posts the notifications about the operations that the phrases start with.
    let foaasCenter = NotificationCenter()
    /// The progress of the start of the phrases.
    let foaasStart = Locked(FoaasStart.unconfigured)
    let uploads: Uploads
    /// The key of the drive that is in the store.
    let storedDriveKey: StoredDriveKey?
    let groundwork: Groundwork
    /// What makes a part asks for no other part: the lock is not recursive. It neither reads nor sends anything either.
    private let made = Locked(Parts())

    /// The parts that somebody has asked for. A command uses one of them, and to make all would take a tenth of its time.
    private struct Parts {
        var feed: FeedService?
        var payments: PaymentsService?
        var foaas: FoaasService?
        var audio: AudioFeedService?
        var inspector: Inspector?
    }

    private static func part<Part>(_ part: inout Part?, _ make: () -> Part) -> Part {
        if let part { return part }
        let made = make()
        part = made
        return made
    }

    /// The configuration of this run.
    public var configuration: Configuration { groundwork.configuration }
    /// Posts that wait for a connection.
    public var outbox: Outbox { audio.outbox }
    var reference: ReferenceHost { groundwork.reference }
    /// The user whose apps these are; `nil` if the server has one user only.
    var user: UserGround? { groundwork.user }

    /// The address under which payments are made with the reference remote.
    public static let referencePayments = ReferenceHost.base(of: .payments).absoluteString

    /// Builds the product. Nothing is opened, connected or started before its first use.
    public convenience init(_ configuration: Configuration) { self.init(Groundwork(configuration)) }

    init(_ groundwork: Groundwork) {
        self.groundwork = groundwork
        let quota = groundwork.user?.quota
        uploads =
            groundwork.drafts == nil
            ? Uploads(groundwork.folder("uploads"), quota: quota)
            : Uploads(in: groundwork.copies, of: groundwork.user?.user.id, quota: quota)
        storedDriveKey = groundwork.ring.map { StoredDriveKey(groundwork, sealedWith: $0) }
    }

    /// True for an app that uses the reference remote.
    func usesReference(_ remote: ReferenceRemote) -> Bool {
        configuration.remotes[remote] == nil && !configuration.offline
    }

    /// The token of the server with this data, for a server whose output nobody sees; `nil` if no server has made one.
    ///
    /// - Throws: ``StoreError`` if that cannot be read.
    public func serverToken() async throws(StoreError) -> String? { try await groundwork.place.savedToken() }

    /// True if a server with several users has run with this data: it lets nobody in by its own token.
    public func hasHadUsers() async throws(StoreError) -> Bool { try await groundwork.place.knownUsersMark() != nil }

    /// Stops the reference remotes.
    public func stop() async {
        await reference.stop()
    }
}

extension FeedService {
    fileprivate init(_ ground: Groundwork) {
        self.init(
            base: ground.base(of: .feed), client: ground.client, store: ground.values, pictureStore: ground.pictures,
            retry: ground.configuration.retry, patience: ground.configuration.patience, now: ground.now,
            events: ground.events)
    }
}

extension PaymentsService {
    fileprivate init(_ ground: Groundwork) {
        let configuration = ground.configuration
        self.init(
            base: ground.base(of: .payments), client: ground.client, store: ground.ownValues,
            pictureStore: ground.pictures, ledgerStore: ground.ledger, isOther: ground.isNoPayment,
            sending: ground.folder("sending"),
            vault: ground.vault,
            allowsTestCard: configuration.remotes[.payments] == nil || configuration.allowTestCard,
            retry: configuration.retry, patience: configuration.patience, now: ground.now, events: ground.events)
    }
}

extension FoaasService {
    fileprivate init(_ ground: Groundwork, center: NotificationCenter) {
        let server = ground.base(of: .foaas)
        let defaults = ground.defaults
        self.init(
            base: server, client: ground.client, store: ground.values, ownStore: ground.phrases,
            manager: FoaasDataManager(server: server, center: center, now: ground.now) { () throws(StoreError) in
                try defaults.store
            },
            retry: ground.configuration.retry, patience: ground.configuration.patience, now: ground.now,
            events: ground.events)
    }
}

extension AudioFeedService {
    fileprivate init(_ ground: Groundwork) {
        let sound = ground.sound
        self.init(
            base: ground.base(of: .audio), client: ground.client, store: ground.values,
            downloads: { () async throws(StoreError) in try await sound() },
            outbox: AudioFeedService.outbox(
                in: ground.queue, files: ground.files, client: ground.client,
                policy: SendPolicy(now: ground.now), store: ground.values, now: ground.now, events: ground.events),
            retry: ground.configuration.retry, patience: ground.configuration.patience, now: ground.now,
            events: ground.events)
    }
}

extension Inspector {
    fileprivate init(_ ground: Groundwork) {
        let (now, defaults, place) = (ground.now, ground.defaults, ground.place)
        let own = ground.user.map { user in
            [StoreShelf(name: place.name(of: .users), store: user.values, policy: .sevenDays, now: now)]
        }
        self.init(
            (own ?? []) + [
                StoreShelf(name: place.name(of: .values), store: ground.values, policy: .sevenDays, now: now),
                StoreShelf(name: place.name(of: .pictures), store: ground.pictures, policy: .sevenDays, now: now),
                StoreShelf(
                    name: place.name(of: ground.user == nil ? .phrases : .users), store: ground.phrases,
                    policy: .forever, isOwn: true, now: now),
                StoreShelf(
                    name: "foaas.plist", store: MeteredStore(LazyStore { () throws(StoreError) in try defaults.store }),
                    policy: .sevenDays, now: now),
                DownloadsShelf(name: "audio", downloads: ground.sound, policy: .sevenDays, now: now),
            ])
    }
}
