import Aquifer
import Foundation
import Observation

/// The screen of one storage account: its files, uploads, and what can be done with it.
///
/// One change at a time: while ``action`` is under way, others do nothing.
@MainActor @Observable
public final class AccountModel {
    /// Something that is being done.
    public enum Action: Sendable, Hashable {
        /// Files are being sent.
        case uploading
        /// The content of this file is being replaced.
        case replacing(String)
        /// This file is being deleted.
        case deleting(String)
        /// Storage is being added.
        case addingStorage
        /// Storage is being given back.
        case reducingStorage
        /// The account is being made immutable.
        case makingImmutable
    }

    /// An upload, under way or ended.
    public struct Upload: Sendable, Hashable {
        /// How far it is.
        public var progress: UploadProgress
        /// What became of the files that have come to their end; in the order given once all have.
        public var results: [UploadResult]
        /// Whether it has ended.
        public var isDone: Bool
    }

    /// The account and its files.
    public let contents: ResourceModel<AccountContents>
    /// The account's address.
    public let address: PublicKey
    /// What is being done.
    public private(set) var action: Action?
    /// What was done last, until something else is.
    public private(set) var lastDone: Action?
    /// The upload under way, or the last one until it is dismissed.
    public private(set) var upload: Upload?
    /// Why the last change did not work, until dismissed.
    public private(set) var problem: DriveError?
    /// What is wrong with the amount of storage typed.
    public private(set) var sizeError: StorageSizeError?
    /// The prices; `nil` as long as they are not known.
    public private(set) var config: StorageConfig?

    /// The account; `nil` before the first load.
    public var account: StorageAccount? { contents.value?.account }
    /// The files, in the server's order.
    public var files: [StoredFile] { contents.value?.files ?? [] }
    /// Whether files may be sent, replaced and deleted, and the size changed: there is a key, it is the owner's, and the
    /// account can be changed.
    public var canChange: Bool { isOwner && account?.isImmutable == false && action == nil }
    /// Whether storage can be added, which immutable accounts take too.
    public var canAddStorage: Bool { isOwner && account != nil && action == nil }
    /// Whether the key on this machine is an owner's of this account.
    public var isOwner: Bool {
        guard let owner = service.owner, let account else { return false }
        return account.owner1 == owner || account.owner2 == owner
    }

    @ObservationIgnored private let service: ShadowDriveService
    @ObservationIgnored private var transfer: Task<Result<[UploadResult], DriveError>, Never>?

    /// The screen of an account.
    public init(_ service: ShadowDriveService, account: PublicKey) {
        self.service = service
        address = account
        contents = ResourceModel(service.contents(of: account))
    }

    /// The screen is visible: loads, the first time.
    public func appear() async {
        await contents.appear()
        await loadPrices()
    }

    /// Loads the latest.
    public func refresh() async {
        await contents.refresh()
        await loadPrices()
    }

    /// Asks for the prices as long as they are not known: the first load may have been left, or had no connection.
    private func loadPrices() async {
        guard config == nil, service.owner != nil else { return }
        config = try? await service.storageConfig()  // shown as "not known"
    }

    /// The address of a file.
    public func location(of file: String) -> FileLocation { service.api.location(of: file, in: address) }

    /// What an amount of storage costs, in shades; `nil` if it is none, or prices are not known.
    public func cost(of text: String) -> UInt64? {
        guard let config, let bytes = try? StorageSize.parse(text) else { return nil }  // said when it is sent
        return config.cost(ofBytes: bytes)
    }

    // MARK: Files

    /// Sends files. Returns when all have come to their end; leaving stops it.
    public func upload(_ files: [URL], replacing: Bool = false) async {
        guard !files.isEmpty, canChange else { return }
        begin(.uploading)
        upload = Upload(
            progress: UploadProgress(sent: 0, total: 0, filesDone: 0, files: files.count), results: [], isDone: false)
        let (events, continuation) = AsyncStream.makeStream(of: UploadEvent.self)
        let transfer = Task<Result<[UploadResult], DriveError>, Never> { [service, address] in
            defer { continuation.finish() }
            do throws(DriveError) {
                return .success(
                    try await service.upload(files, to: address, overwrite: replacing) { continuation.yield($0) })
            } catch { return .failure(error) }
        }
        self.transfer = transfer
        // Leaving ends the loop at once; the transfer tells the rest of the files before it ends.
        await withTaskCancellationHandler {
            for await event in events { show(event) }
        } onCancel: {
            transfer.cancel()
        }
        let outcome = await transfer.value
        self.transfer = nil
        upload?.isDone = true
        switch outcome {
        case .success(let results):
            upload?.results = results
            await end(nil)
        case .failure(let error):
            await end(error)
        }
    }

    /// Stops the upload under way. What was stored stays; the other files are told as cancelled.
    public func cancelUpload() {
        transfer?.cancel()
    }

    /// The customer has seen what became of the upload.
    public func dismissUpload() {
        if upload?.isDone == true { upload = nil }
    }

    /// Replaces the content of a file.
    public func replace(_ file: String, with url: URL) async {
        guard canChange else { return }
        let location = location(of: file)
        await change(.replacing(file)) { (service) async throws(DriveError) in
            _ = try await service.editFile(location, with: url)
        }
    }

    /// Deletes a file.
    public func delete(_ file: String) async {
        guard canChange else { return }
        let location = location(of: file)
        await change(.deleting(file)) { (service) async throws(DriveError) in
            _ = try await service.deleteFile(location)
        }
    }

    // MARK: The account

    /// Reserves more storage: `10MB`.
    public func addStorage(_ text: String) async {
        guard canAddStorage, let bytes = size(text) else { return }
        await change(.addingStorage) { [address] (service) async throws(DriveError) in
            _ = try await service.addStorage(bytes, to: address)
        }
    }

    /// Gives storage back: `10MB`.
    public func reduceStorage(_ text: String) async {
        guard canChange, let bytes = size(text) else { return }
        await change(.reducingStorage) { [address] (service) async throws(DriveError) in
            _ = try await service.reduceStorage(bytes, of: address)
        }
    }

    /// Whether the account's name was typed, letter by letter: nothing less makes it immutable.
    public func confirms(_ typed: String) -> Bool { account.map { $0.identifier == typed } ?? false }

    /// Makes the account immutable, for ever, if its name was typed.
    public func makeImmutable(confirmedBy typed: String) async {
        guard canChange, confirms(typed) else { return }
        await change(.makingImmutable) { [address] (service) async throws(DriveError) in
            _ = try await service.makeImmutable(address)
        }
    }

    /// The customer has read what went wrong.
    public func dismissProblem() {
        problem = nil
        contents.dismissError()
    }

    // MARK: One change

    private func size(_ text: String) -> UInt64? {
        do throws(StorageSizeError) {
            let bytes = try StorageSize.parse(text.trimmingCharacters(in: .whitespaces))
            sizeError = nil
            return bytes
        } catch {
            sizeError = error
            return nil
        }
    }

    private func change(
        _ action: Action, _ work: (ShadowDriveService) async throws(DriveError) -> Void
    ) async {
        begin(action)
        do throws(DriveError) {
            try await work(service)
            await end(nil)
        } catch { await end(error) }
    }

    private func begin(_ action: Action) {
        self.action = action
        lastDone = nil
        problem = nil
        sizeError = nil
    }

    private func end(_ error: DriveError?) async {
        let done = action
        action = nil
        problem = error == .cancelled ? nil : error
        if error == nil { lastDone = done }
        // Whatever came of it, the server knows best what there is now.
        await refresh()
    }

    private func show(_ event: UploadEvent) {
        switch event {
        case .progress(let progress): upload?.progress = progress
        case .file(let result): upload?.results.append(result)
        }
    }
}
