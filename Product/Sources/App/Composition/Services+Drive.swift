import Aquifer
import AquiferShadowDrive
import Foundation
import ReferenceAPIs

/// Storage accounts and files of Shadow Drive, for one owner.
extension Services {
    /// Shadow Drive for the owner of the key file that the configuration names. Without one, at the reference remote, it
    /// is for the owner of a key that is made when it is first needed: ``driveKey``, or a sealed one in a shared store. Pages and
    /// commands have the same owner.
    ///
    /// - Throws: `KeypairError` when there is a key that cannot be used.
    public func drive() async throws(KeypairError) -> ShadowDriveService {
        if let stored = ownStoredKey { return drive(try await stored.keypair()) }
        return try driveOfFile()
    }

    private func driveOfFile() throws(KeypairError) -> ShadowDriveService {
        if let file = configuration.driveKeypair { return drive(try Keypair(contentsOf: file)) }
        return drive(configuration.usesReferenceDrive ? try ownKey() : nil)
    }

    /// The sealed key in the store, if that is the one to use.
    private var ownStoredKey: StoredDriveKey? {
        configuration.driveKeypair == nil && configuration.usesReferenceDrive ? storedDriveKey : nil
    }

    /// Looks for the key of the pages, so that they have it at once. They tell a failure.
    func prepareDrive() async {
        _ = try? await ownStoredKey?.keypair()  // `known` has the failure
    }

    /// The place of the key that is used when no other one is named.
    public var driveKey: URL { configuration.keys.appending(path: "drive.json") }

    /// The same for pages, which tell the problem with the key.
    func driveForPages() -> DriveAccess {
        do throws(KeypairError) {
            guard let stored = ownStoredKey else { return DriveAccess(service: try driveOfFile(), problem: nil) }
            guard case .success(let keypair) = stored.known else {
                // The next look at the pages may find it.
                Task { await prepareDrive() }
                _ = try stored.known?.get()
                throw .failed(reason: "the key of the drive is still being looked for")
            }
            return DriveAccess(service: drive(keypair), problem: nil)
        } catch {
            return DriveAccess(service: drive(nil), problem: error)
        }
    }

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

    /// The most bytes of a file that is saved for pages which show it.
    static let previewLimit = 8 << 20

    /// The content of a file, for pages that show it: the latest, or without an answer the copy that was saved when it was shown before.
    func content(of file: URL) -> Resource<Data> {
        // The identity encoding makes the limit that of the file.
        let request = HTTPRequest(.get, file, headers: ["Accept-Encoding": "identity"])
        let remote = RemoteLoader<Data>(
            request, client: groundwork.client, limit: Self.previewLimit, retry: configuration.retry
        ) { head, data in
            guard head.status == 200 else { throw InvalidData.status(head.status) }
            return data
        }
        let cache = Cache<Data>(
            key: KnownEntries.driveFiles.key(file.absoluteString), in: user?.files ?? groundwork.pictures, codec: .raw,
            kind: .data, now: groundwork.now, events: groundwork.events)
        return Resource(remote: remote, cache: cache)
    }

    private func drive(_ keypair: Keypair?) -> ShadowDriveService {
        let server = configuration.remotes[.drive]
        let api = ShadowDriveAPI(
            base: groundwork.base(of: .drive), files: configuration.driveFiles ?? Self.files(of: server),
            client: groundwork.client, retry: configuration.retry)
        let publicRPC = server == nil ? nil : URL(string: SolanaRPC.publicURL)
        let rpc = SolanaRPC(
            url: configuration.driveRPC ?? publicRPC ?? ReferenceHost.base(of: .drive).appending(path: "rpc"),
            client: groundwork.client, retry: configuration.retry)
        return ShadowDriveService(
            api: api, rpc: rpc, program: program, keypair: keypair, store: groundwork.ownValues,
            patience: configuration.patience, now: configuration.now, events: groundwork.events)
    }

    private var program: ShadowDriveProgram {
        if let uploader = configuration.driveUploader { return .v1(uploader: uploader) }
        // The reference remote signs with a key of its own.
        return configuration.remotes[.drive] == nil ? .v1(uploader: ReferenceAPIs.driveUploader) : .v1
    }

    /// The base address of a server's files. The files of Shadow Drive have a host of their own.
    private static func files(of server: URL?) -> URL {
        guard let server else { return ReferenceHost.base(of: .drive).appending(path: "files") }
        if server.absoluteString.hasPrefix(ShadowDriveAPI.publicBase),
            let files = URL(string: ShadowDriveAPI.publicFiles)
        {
            return files
        }
        return server.appending(path: "files")
    }
}
