import AquiferSolana
import Foundation
import HTTPServer

/// The reference remotes: real servers of the contracts, each under a path of its own (`/feed`), with faults on
/// demand. Serve `handler` on a port, or call it in process.
public final class ReferenceAPIs: Sendable {
    private let injectors: [ReferenceRemote: FaultInjector]
    private let remotes: [ReferenceRemote: ServerHandler]

    /// The remotes, with their media read from the module's resources.
    ///
    /// - Parameters:
    ///   - directory: the folder of the clips that are posted to the audio feed, the payments' transactions, and the
    ///     drive's accounts and files. Other processes and later ones share it. It is made with the first of them.
    ///     `nil` is a temporary folder that goes with the remotes.
    ///   - clock: the clock by which ``Fault/slow`` waits.
    ///   - now: the date of transactions and clips. The dates of comments count from its first answer.
    /// - Throws: when the resources are missing or unreadable.
    public init(
        directory: URL? = nil, clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        let feed = try ReferenceFeed(media: try Media("feed"), now: now())
        let payments = try ReferencePayments(
            media: try Media("payments"), folder: directory?.appending(path: "payments", directoryHint: .isDirectory),
            now: now)
        let foaas = try ReferenceFoaas(media: try Media("foaas"))
        let audio = try ReferenceAudio(media: try Media("audio"), store: ClipStore(folder: directory, now: now))
        let drive = ReferenceDrive(
            store: DriveStore(folder: directory?.appending(path: "drive", directoryHint: .isDirectory)), now: now)
        remotes = [
            .feed: feed.handler, .payments: payments.handler, .foaas: foaas.handler, .audio: audio.handler,
            .drive: drive.handler,
        ]
        injectors = [
            .feed: FaultInjector(clock: clock), .payments: FaultInjector(clock: clock, charges: .posts),
            .foaas: FaultInjector(clock: clock), .audio: FaultInjector(clock: clock, charges: .posts),
            .drive: FaultInjector(clock: clock, charges: .deeds),
        ]
    }

    /// The limits of the server of ``handler``: paths of 16 KiB, for values of 8 kB, clips of 200 MB, and five files of
    /// 1 GiB.
    public static var configuration: HTTPServer.Configuration {
        .init(
            maxHeaderBytes: 24 << 10,
            // A clip comes with its metadata and the heads of its parts.
            maxBodyBytesByPath: [
                "/audio/v1/audio": ReferenceAudio.largestSound + 128 << 10,
                "/drive/upload": ReferenceDrive.largestUpload, "/drive/edit": ReferenceDrive.largestUpload,
            ])
    }

    /// The key whose signature the drive remote adds to transactions: its clients ask the program `.v1(uploader:)` of
    /// it. It is written down: to derive it takes a millisecond, and the table of commands names it at each start.
    public static let driveUploader = PublicKey(constant: "5fNmzoLARuV51H6C2upvSbKtkmKcYYhMrFpMg56AjFVz")

    /// Answers requests to any of the remotes.
    public var handler: ServerHandler {
        { [self] request in
            // Every remote lives under its name: `/feed/v1/feed`.
            let first = request.path.split(separator: "/", maxSplits: 1).first.map(String.init) ?? ""
            guard let remote = ReferenceRemote(rawValue: first), let handler = remotes[remote],
                let injector = injectors[remote]
            else {
                return .json(Data(#"{"error":"no such remote"}"#.utf8), status: 404)
            }
            return await injector.answer(request, handler)
        }
    }

    /// The fault of a remote.
    public func fault(of remote: ReferenceRemote) -> Fault { injectors[remote]?.fault ?? .none }

    /// Sets the fault of a remote, or ``Fault/none``.
    public func set(_ fault: Fault, of remote: ReferenceRemote) { injectors[remote]?.fault = fault }

    /// The counts of a remote's transfers so far.
    public func transfers(of remote: ReferenceRemote) -> TransferCounts {
        injectors[remote]?.log.counts ?? TransferCounts()
    }

    /// The last 200 requests to a remote, the oldest first.
    public func requests(of remote: ReferenceRemote) -> [ReferenceRequest] { injectors[remote]?.log.requests ?? [] }

    /// The number of bytes sent of each file, by its path, over all requests. A file whose every byte was fetched once
    /// has sent as many bytes as it is long.
    public func bytesSent(of remote: ReferenceRemote) -> [String: UInt64] { injectors[remote]?.log.files ?? [:] }
}
