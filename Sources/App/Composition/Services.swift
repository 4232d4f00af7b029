import Aquifer
import AquiferCurl
import AquiferSQLite
import AudioFeed
import Foaas
import Foundation
import ImageFeed
import Payments
import ReferenceAPIs
import ShadowDrive

/// The composition root. It chooses stores, client and clock, and injects them into the features. The command line, the
/// server and the tests all build the product here.
public final class Services: Sendable {
    /// The configuration of this run.
    public let configuration: Configuration
    /// The image feed.
    public let feed: FeedService
    /// Contacts, cards and payments.
    public let payments: PaymentsService
    /// Phrases and operations.
    public let foaas: FoaasService
    /// Posts the notifications about the operations that the phrases start with.
    let foaasCenter = NotificationCenter()
    /// The progress of the start of the phrases.
    let foaasStart = Locked(FoaasStart.unconfigured)
    /// Clips to be heard and posted.
    public let audio: AudioFeedService
    /// Posts that wait for a connection.
    public var outbox: Outbox { audio.outbox }
    let uploads: Uploads
    /// Everything that is saved.
    public let inspector: Inspector
    let reference: ReferenceHost
    private let client: any HTTPClient
    private let values: MeteredStore

    /// The address under which payments are made with the reference remote.
    public static let referencePayments = ReferenceHost.base(of: .payments).absoluteString

    /// The maximum size of the saved pictures in bytes.
    static let pictureBound = 256 << 20

    /// Builds the product. Nothing is opened, connected or started before its first use.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        let reference = ReferenceHost(
            faults: configuration.faults,
            folder: configuration.data.appending(path: "reference", directoryHint: .isDirectory))
        self.reference = reference

        client =
            configuration.offline
            ? OfflineClient()
            : ReferenceClient(
                client: CurlHTTPClient(configuration: .init(route: { reference.route($0, $1) })), host: reference)
        values = MeteredStore(Self.open("values.sqlite", in: configuration.data))
        let pictures = MeteredStore(
            EvictingStore(Self.open("pictures.sqlite", in: configuration.data), bound: Self.pictureBound))

        feed = FeedService(
            base: configuration.remotes["feed"] ?? ReferenceHost.base(of: .feed), client: client, store: values,
            pictureStore: pictures, retry: configuration.retry, now: configuration.now)
        let folder = configuration.data
        let phrases = MeteredStore(Self.open("foaas.sqlite", in: folder, isIrreplaceable: true))
        payments = PaymentsService(
            base: configuration.remotes["payments"] ?? ReferenceHost.base(of: .payments), client: client, store: values,
            pictureStore: pictures,
            ledgerStore: Self.open("payments.sqlite", in: folder, durability: .power, isIrreplaceable: true),
            sending: folder.appending(path: "sending", directoryHint: .isDirectory),
            vault: CardVault(
                directory: folder.appending(path: "cards", directoryHint: .isDirectory), keys: configuration.keys),
            allowsTestCard: configuration.remotes["payments"] == nil || configuration.allowTestCard,
            retry: configuration.retry, now: configuration.now)
        let phrasesServer = configuration.remotes["foaas"] ?? ReferenceHost.base(of: .foaas)
        let defaults = FoaasDefaults(in: folder)
        foaas = FoaasService(
            base: phrasesServer, client: client, store: values, ownStore: phrases,
            manager: FoaasDataManager(server: phrasesServer, center: foaasCenter, now: configuration.now) {
                defaults.store
            },
            retry: configuration.retry, now: configuration.now)
        let downloads = Lazy { [client] () throws(StoreError) in
            try Downloads(
                directory: folder.appending(path: "audio", directoryHint: .isDirectory), client: client,
                bound: AudioFeedService.bound, retry: configuration.retry, now: configuration.now)
        }
        audio = AudioFeedService(
            base: configuration.remotes["audio"] ?? ReferenceHost.base(of: .audio), client: client, store: values,
            downloads: { () throws(StoreError) in try downloads() },
            outbox: AudioFeedService.outbox(
                in: Self.open("outbox.sqlite", in: folder, durability: .power, isIrreplaceable: true),
                attachments: folder.appending(path: "outbox", directoryHint: .isDirectory), client: client,
                policy: SendPolicy(now: configuration.now), store: values, now: configuration.now),
            retry: configuration.retry, now: configuration.now)
        uploads = Uploads(folder.appending(path: "uploads", directoryHint: .isDirectory))
        let now = configuration.now
        inspector = Inspector([
            StoreShelf(name: "values.sqlite", store: values, policy: .sevenDays, now: now),
            StoreShelf(name: "pictures.sqlite", store: pictures, policy: .sevenDays, now: now),
            StoreShelf(name: "foaas.sqlite", store: phrases, policy: .forever, isOwn: true, now: now),
            StoreShelf(
                name: "foaas.plist", store: MeteredStore(LazyStore { () throws(StoreError) in defaults.store }),
                policy: .sevenDays, now: now),
            DownloadsShelf(name: "audio", downloads: downloads, policy: .sevenDays, now: now),
        ])
    }

    /// Storage accounts and files of Shadow Drive, for one owner. Pages and commands have the same: the owner of the
    /// key file that the configuration names; without one, at the reference remote, that of ``driveKey``, which is made
    /// when it is first needed.
    ///
    /// - Throws: `KeypairError` when there is a key file that cannot be used.
    public func drive() throws(KeypairError) -> ShadowDriveService {
        if let file = configuration.driveKeypair { return drive(try Keypair(contentsOf: file)) }
        return drive(usesReferenceDrive ? try ownKey() : nil)
    }

    /// The place of the key that is used when no other one is named.
    public var driveKey: URL { configuration.keys.appending(path: "drive.json") }

    /// The same for pages, which tell the problem with the key.
    func driveForPages() -> DriveAccess {
        do throws(KeypairError) { return DriveAccess(service: try drive(), problem: nil) } catch {
            return DriveAccess(service: drive(nil), problem: error)
        }
    }

    private var usesReferenceDrive: Bool { configuration.remotes["drive"] == nil && configuration.driveRPC == nil }

    private func ownKey() throws(KeypairError) -> Keypair {
        let file = driveKey
        do throws(KeypairError) { return try Keypair(contentsOf: file) } catch {
            guard case .missing = error else { throw error }
        }
        do {
            try FileManager.default.createDirectory(
                at: configuration.keys, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch { throw .failed(reason: error.localizedDescription) }
        do throws(KeypairError) { try Keypair().write(to: file) } catch {
            // Another process was quicker: then its key is the one.
            guard case .exists = error else { throw error }
        }
        return try Keypair(contentsOf: file)
    }

    private func drive(_ keypair: Keypair?) -> ShadowDriveService {
        let base = configuration.remotes["drive"]
        let api = ShadowDriveAPI(
            base: base ?? ReferenceHost.base(of: .drive),
            files: configuration.driveFiles ?? Self.files(of: base), client: client, retry: configuration.retry)
        let ownRPC = base == nil ? nil : URL(string: SolanaRPC.publicURL)
        let rpc = SolanaRPC(
            url: configuration.driveRPC ?? ownRPC ?? ReferenceHost.base(named: "drive").appending(path: "rpc"),
            client: client, retry: configuration.retry)
        let program: ShadowDriveProgram
        // `GlobalOptions` has validated the key.
        if let text = configuration.driveUploader, let uploader = try? PublicKey(text) {
            program = .v1(uploader: uploader)
        } else {
            // The reference remote signs with a key of its own.
            program = base == nil ? .v1(uploader: ReferenceAPIs.driveUploader) : .v1
        }
        return ShadowDriveService(
            api: api, rpc: rpc, program: program, keypair: keypair, store: values, now: configuration.now)
    }

    /// The base address of a server's files. The files of Shadow Drive have a host of their own.
    private static func files(of base: URL?) -> URL {
        guard let base else { return ReferenceHost.base(of: .drive).appending(path: "files") }
        if base.absoluteString.hasPrefix(ShadowDriveAPI.publicBase), let files = URL(string: ShadowDriveAPI.publicFiles)
        {
            return files
        }
        return base.appending(path: "files")
    }

    /// True for an app that uses the reference remote.
    func usesReference(_ remote: ReferenceRemote) -> Bool {
        configuration.remotes[remote.rawValue] == nil && !configuration.offline
    }

    /// Stops the reference remotes.
    public func stop() async {
        await reference.stop()
    }

    private static func open(
        _ name: String, in folder: URL, durability: SQLiteStore.Durability = .process, isIrreplaceable: Bool = false
    ) -> any CacheStore {
        LazyStore { () throws(StoreError) in
            try SQLiteStore(
                file: folder.appending(path: name), durability: durability, isIrreplaceable: isIrreplaceable)
        }
    }
}
