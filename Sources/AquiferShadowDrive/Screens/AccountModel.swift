import Aquifer
import AquiferFoundation
import Observation

/// The screen of one storage account, with its files, uploads and actions.
///
/// Only one change runs at a time. While ``action`` is under way, other changes do nothing.
@MainActor @Observable
public final class AccountModel {
    /// An action that is under way.
    public enum Action: Sendable, Hashable {
        /// Files are being sent.
        case uploading
        /// The content of this file is being replaced.
        case replacing(String)
        /// This file is being deleted.
        case deleting(String)
        /// Storage is being added.
        case addingStorage
        /// Storage is being released.
        case reducingStorage
        /// The account is being made immutable.
        case makingImmutable
        /// The account's deletion is being requested.
        case askingForDeletion
        /// The request for deletion is being cancelled.
        case keepingAccount
        /// The tokens of released storage are being claimed.
        case claiming
    }

    /// The account and its files.
    public let contents: ResourceModel<AccountContents>
    /// The account's address.
    public let address: PublicKey
    /// The action that is under way.
    public private(set) var action: Action?
    /// The last completed action, until another one starts.
    public private(set) var lastDone: Action?
    /// The upload under way, or the last one until it is dismissed.
    public private(set) var upload: Upload?
    /// The error of the last change, until it is dismissed.
    public private(set) var problem: DriveError?
    /// The action that failed, while ``problem`` holds its error.
    public private(set) var failed: Action?
    /// The error in the typed amount of storage.
    public private(set) var sizeError: StorageSizeError?
    /// The prices; `nil` until they are known.
    public private(set) var config: StorageConfig?
    /// The owner's balances; `nil` until they are known.
    public private(set) var wallet: Wallet?
    /// The time since which tokens of released storage can be claimed; `nil` if there are none, or if it is not known.
    public private(set) var unstaked: UnstakeInfo?

    /// The account; `nil` before the first load.
    public var account: StorageAccount? { contents.value?.account }
    /// The files, in the server's order.
    public var files: [StoredFile] { contents.value?.files ?? [] }
    /// True if files can be replaced and deleted, and storage can be released. The key on this machine must be an
    /// owner's, the account must not be immutable, and no action may be under way.
    public var canChange: Bool { canAdd && account?.isImmutable == false }
    /// True if new files and storage can be added.
    public var canAdd: Bool { isOwner && account != nil && action == nil }
    /// True if the key on this machine belongs to an owner of this account.
    public var isOwner: Bool {
        guard let owner = service.owner, let account else { return false }
        return account.owner1 == owner || account.owner2 == owner
    }

    @ObservationIgnored private let service: ShadowDriveService
    @ObservationIgnored private var transfer: Task<Result<[UploadResult], DriveError>, Never>?

    /// Creates the screen of an account.
    public init(_ service: ShadowDriveService, account: PublicKey) {
        self.service = service
        address = account
        contents = ResourceModel(service.contents(of: account))
    }

    /// Loads the contents when the screen first becomes visible.
    public func appear() async {
        await contents.appear()
        await loadPrices()
    }

    /// Loads the latest.
    public func refresh() async {
        await contents.refresh()
        await loadPrices()
    }

    /// Requests the prices and the owner's balances. What cannot be loaded stays: ``confirm(_:ofBytes:)`` asks once more.
    private func loadPrices() async {
        guard service.owner != nil else { return }
        config = (try? await service.storageConfig()) ?? config  // see above, as all here
        guard isOwner else { return }
        wallet = (try? await service.wallet()) ?? wallet
        unstaked = try? await service.unstaked(of: address)  // shown as "none": the next look tells
    }

    /// The address of a file.
    public func location(of file: String) throws(DriveError) -> FileLocation {
        try service.api.location(of: file, in: address)
    }

    // MARK: Files

    /// Sends files, and returns when all have finished. Cancelling the task stops the upload. An immutable account
    /// accepts new files but no replacements.
    ///
    /// - Parameters:
    ///   - files: the files.
    ///   - replacing: true if files of the same names are replaced.
    ///   - agreed: the names of the files that may be replaced, if not all of them may.
    ///   - afterReading: called when the files are no longer needed, before the upload is marked as done. It is not
    ///     called if nothing can be sent.
    public func upload(
        _ files: [URL], replacing: Bool = false, agreed: Set<String> = [], afterReading: () -> Void = {}
    ) async {
        let isReplacing = replacing || !agreed.isEmpty
        guard !files.isEmpty, isReplacing ? canChange : canAdd else { return }
        begin(.uploading)
        upload = Upload(
            progress: UploadProgress(sent: 0, total: 0, filesDone: 0, files: files.count), results: [], isDone: false,
            usedBefore: isReplacing ? nil : account?.currentUsage)
        let (events, continuation) = AsyncStream.makeStream(of: UploadEvent.self)
        let room = account.map { UploadRoom(free: $0.freeBytes, stored: self.files) }
        let transfer = Task<Result<[UploadResult], DriveError>, Never> { [service, address] in
            defer { continuation.finish() }
            do throws(DriveError) {
                return .success(
                    try await service.upload(
                        files, to: address, overwrite: replacing, replacing: agreed, room: room
                    ) { continuation.yield($0) })
            } catch { return .failure(error) }
        }
        self.transfer = transfer
        // Cancellation ends the loop at once. The transfer still reports the remaining files before it ends.
        await withTaskCancellationHandler {
            for await event in events { show(event) }
        } onCancel: {
            transfer.cancel()
        }
        let outcome = await transfer.value
        self.transfer = nil
        afterReading()
        upload?.isDone = true
        switch outcome {
        case .success(let results):
            upload?.results = results
            await end(nil)
        case .failure(let error):
            await end(error)
        }
    }

    /// Stops the upload under way. Stored files stay, and the other files are reported as cancelled.
    public func cancelUpload() {
        transfer?.cancel()
    }

    /// Removes an ended upload after the user has seen its outcome.
    public func dismissUpload() { if upload?.isDone == true { upload = nil } }

    /// Replaces the content of a file.
    ///
    /// `afterReading` is called when the new content is no longer needed, before the change is marked as done. It is
    /// not called if nothing can be changed.
    public func replace(_ file: String, with url: URL, afterReading: () -> Void = {}) async {
        guard canChange else { return }
        await change(.replacing(file)) { (service) async throws(DriveError) in
            defer { afterReading() }
            _ = try await service.editFile(try location(of: file), with: url)
        }
    }

    /// Deletes a file.
    public func delete(_ file: String) async {
        guard canChange else { return }
        await change(.deleting(file)) { (service) async throws(DriveError) in
            _ = try await service.deleteFile(try location(of: file))
        }
    }

    /// Clears the errors after the user has read them.
    public func dismissProblem() {
        (problem, failed) = (nil, nil)
        contents.dismissError()
    }

    // MARK: One change

    /// Requests the prices, and checks that so much storage still costs what the user confirmed.
    func confirm(_ price: ShownPrice, ofBytes bytes: UInt64) async throws(DriveError) {
        config = try await service.storageConfig(before: price)
        try price.check(config?.cost(ofBytes: bytes))
    }

    func size(_ text: String) -> UInt64? {
        do throws(StorageSizeError) {
            let bytes = try StorageSize.parse(StorageSize.typed(text))
            sizeError = nil
            return bytes
        } catch {
            sizeError = error
            return nil
        }
    }

    func change(
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
        (problem, failed) = (nil, nil)
        sizeError = nil
    }

    private func end(_ error: DriveError?) async {
        let done = action
        action = nil
        problem = error == .cancelled ? nil : error
        failed = problem == nil ? nil : done
        if error == nil { lastDone = done }
        // The screen reloads after success and after failure, because the server has the current state.
        await refresh()
    }

    private func show(_ event: UploadEvent) {
        switch event {
        case .progress(let progress): upload?.progress = progress
        case .file(let result): upload?.results.append(result)
        }
    }
}
