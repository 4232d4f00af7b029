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

/// The composition root: picks stores, client and clock, and hands the features what they need. The command line, the
/// server and the tests all build the product here.
public final class Services: Sendable {
    /// What this run was told.
    public let configuration: Configuration
    /// The image feed.
    public let feed: FeedService
    /// Contacts, cards and payments.
    public let payments: PaymentsService
    /// Phrases and operations.
    public let foaas: FoaasService
    /// Clips to be heard and posted.
    public let audio: AudioFeedService
    /// Posts that wait for a connection.
    public var outbox: Outbox { audio.outbox }
    let uploads: Uploads
    /// What is saved.
    public let inspector: Inspector
    let reference: ReferenceHost
    let client: any HTTPClient
    private let values: MeteredStore

    /// How many bytes of pictures are kept.
    static let pictureBound = 256 << 20

    /// Builds the product. Nothing is opened, connected to or started before it is first needed.
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
        payments = PaymentsService(
            base: configuration.remotes["payments"] ?? ReferenceHost.base(of: .payments), client: client, store: values,
            pictureStore: pictures, ledgerStore: Self.open("payments.sqlite", in: folder),
            vault: CardVault(
                folder: folder.appending(path: "cards", directoryHint: .isDirectory), keys: configuration.keys),
            allowsTestCard: configuration.remotes["payments"] == nil || configuration.allowTestCard,
            retry: configuration.retry, now: configuration.now)
        foaas = FoaasService(
            base: configuration.remotes["foaas"] ?? ReferenceHost.base(of: .foaas), client: client, store: values,
            ownStore: Self.open("foaas.sqlite", in: folder), retry: configuration.retry, now: configuration.now)
        let downloads = LazyDownloads { [client] () throws(StoreError) in
            try Downloads(
                folder: folder.appending(path: "audio", directoryHint: .isDirectory), client: client,
                bound: AudioFeedService.bound, retry: configuration.retry, now: configuration.now)
        }
        audio = AudioFeedService(
            base: configuration.remotes["audio"] ?? ReferenceHost.base(of: .audio), client: client, store: values,
            downloads: { () throws(StoreError) in try downloads() },
            outbox: Outbox(
                in: Self.open("outbox.sqlite", in: folder, durability: .power),
                attachments: folder.appending(path: "outbox", directoryHint: .isDirectory), client: client,
                policy: SendPolicy(now: configuration.now)),
            retry: configuration.retry, now: configuration.now)
        uploads = Uploads(folder.appending(path: "uploads", directoryHint: .isDirectory))
        inspector = Inspector(stores: [values, pictures], policy: .sevenDays, now: configuration.now)
    }

    /// Storage accounts and files of Shadow Drive, for the owner whose key file the configuration names.
    ///
    /// - Throws: `KeypairError` when there is a key file that cannot be used.
    public func drive() throws(KeypairError) -> ShadowDriveService {
        drive(try configuration.driveKeypair.map { (file) throws(KeypairError) in try Keypair(contentsOf: file) })
    }

    /// The same for pages: at the reference remote, who names no key file gets a key, which stays on this machine.
    func driveForPages() -> DriveAccess {
        do throws(KeypairError) {
            if configuration.driveKeypair == nil, usesReferenceDrive {
                return DriveAccess(service: drive(try ownKey()), problem: nil)
            }
            return DriveAccess(service: try drive(), problem: nil)
        } catch {
            return DriveAccess(service: drive(nil), problem: error)
        }
    }

    private var usesReferenceDrive: Bool { configuration.remotes["drive"] == nil && configuration.driveRPC == nil }

    private func ownKey() throws(KeypairError) -> Keypair {
        let file = configuration.keys.appending(path: "drive.json")
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
        // What is no key was refused when the command line was read.
        if let text = configuration.driveUploader, let uploader = try? PublicKey(text) {
            program = .v1(uploader: uploader)
        } else {
            // The reference remote signs with a key of its own.
            program = base == nil ? .v1(uploader: ReferenceAPIs.driveUploader) : .v1
        }
        return ShadowDriveService(
            api: api, rpc: rpc, program: program, keypair: keypair, store: values, now: configuration.now)
    }

    /// Where the files of a server are: those of Shadow Drive have a host of their own.
    private static func files(of base: URL?) -> URL {
        guard let base else { return ReferenceHost.base(of: .drive).appending(path: "files") }
        if base.absoluteString.hasPrefix(ShadowDriveAPI.publicBase), let files = URL(string: ShadowDriveAPI.publicFiles)
        {
            return files
        }
        return base.appending(path: "files")
    }

    /// Whether an app uses the reference remote.
    func usesReference(_ remote: ReferenceRemote) -> Bool {
        configuration.remotes[remote.rawValue] == nil && !configuration.offline
    }

    /// Stops what was started.
    public func stop() async {
        await reference.stop()
    }

    private static func open(
        _ name: String, in folder: URL, durability: SQLiteStore.Durability = .process
    ) -> any CacheStore {
        LazyStore { () throws(StoreError) in
            try SQLiteStore(file: folder.appending(path: name), durability: durability)
        }
    }
}
