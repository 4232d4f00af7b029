import Aquifer
import AquiferFoundation
import Observation

/// The screen of the clips: the list, and the clips that are kept on this machine.
@MainActor @Observable
public final class AudioFeedModel {
    /// The state of a clip's sound on this machine.
    public enum Kept: Sendable, Hashable {
        /// The sound is not here, or stays only as long as there is room.
        case none
        /// The sound is being downloaded.
        case downloading(DownloadProgress)
        /// The sound is whole: it plays without a connection.
        case kept
        /// The sound is here, and was last confirmed seven days ago or earlier. It plays only after the remote has
        /// confirmed it.
        case expired
        /// The sound could not be downloaded.
        case failed(DownloadError)
    }

    /// The list's state.
    public let list: ResourceModel<[AudioClip]>
    /// The clip that was discarded last, if it may have arrived all the same.
    public internal(set) var discarded: AudioClip?
    /// The error of the last change of a clip that waits to be posted.
    public internal(set) var changeError: OutboxError?
    /// The bytes of sound that are kept because the user asked for it.
    public private(set) var keptBytes = 0
    /// The sounds that are whole and pinned, of this list or another, with the time of their last confirmation.
    private var pinned: [URL: Date] = [:]
    /// The clips whose sound is being downloaded, and those whose download has failed.
    private var attempts: [UUID: Kept] = [:]

    @ObservationIgnored let service: AudioFeedService
    /// The folder of the sound; `nil` as long as it cannot be opened.
    @ObservationIgnored private var folder: Downloads?
    @ObservationIgnored private var tasks: [UUID: Task<Void, Never>] = [:]

    /// The clips, with those that wait to be posted.
    public var clips: [AudioClip] { list.value ?? [] }
    /// The items of the clips that wait to be posted, by the identity of their clip: they wait, are being sent, or were refused.
    public var waiting: [UUID: PendingItem] {
        Dictionary(list.pending.compactMap { item in UUID(uuidString: item.target).map { ($0, item) } }) { $1 }
    }
    /// True if a load has shown that there are no clips.
    public var isEmpty: Bool { list.value?.isEmpty == true && !list.isLoading }

    /// The screen of a service.
    public init(_ service: AudioFeedService) {
        self.service = service
        list = ResourceModel(service.loading)
    }

    /// The state of a clip's sound on this machine.
    public func kept(_ clip: AudioClip) -> Kept {
        if case .downloading = attempts[clip.id] { return attempts[clip.id] ?? .none }
        guard let confirmed = pinned[clip.audio] else { return attempts[clip.id] ?? .none }
        // A folder that cannot be opened keeps nothing that could be played.
        if folder?.isFresh(confirmed) == true { return .kept }
        return attempts[clip.id] ?? .expired
    }

    /// The identity of a clip for the rows of a screen: see ``AudioFeedService/identity(of:)``.
    public func identity(of clip: AudioClip) -> UUID { service.identity(of: clip) }

    /// The screen is visible: loads the list, the first time, reads which clips are kept, and renews those while there is a
    /// connection. From then on it shows the clips that are posted, here or elsewhere.
    ///
    /// - Parameter afterPageLoad: true if the user has loaded the page anew, as one can in a browser: the list is then loaded
    ///   even if it has been loaded before. By default, it is false.
    public func appear(afterPageLoad: Bool = false) async {
        await look()
        await afterPageLoad ? list.refresh() : list.appear()
        await look()
        await renew()
    }

    /// Loads the latest list.
    public func refresh() async {
        await list.refresh()
        await look()
        await renew()
    }

    /// Loads the list as soon as a clip was sent, if none could be loaded before: there is a connection now. It goes on until the
    /// task is cancelled.
    public func follow() async {
        var before: Set<Outbox.ID> = []
        for await items in service.outbox.states() {
            let present = Set(items.map(\.id))
            let hasSent = before.subtracting(present).contains { service.outbox.hasSent($0) }
            if hasSent, list.phase != .idle, lacksList { await list.refresh() }
            before = present
        }
    }

    /// True if loading has failed, and there was no saved copy.
    private var lacksList: Bool {
        switch list.source {
        case .pendingOnly?, nil: !list.isLoading
        case .remote?, .cache?: false
        }
    }

    private func renew() async {
        guard list.source == .remote else { return }
        if await service.renewKept() > 0 { await look() }
    }

    /// Keeps a clip's sound on this machine until it is removed, whatever else comes. Returns when the sound is there,
    /// or the download has failed.
    ///
    /// The download goes on when the calling task is cancelled: a user who leaves the screen wants the clip all the same.
    ///
    /// A clip that waits to be posted is on this machine anyway.
    public func keep(_ id: UUID) async {
        guard let clip = clip(id), waiting[clip.id] == nil, tasks[clip.id] == nil, kept(clip) != .kept else { return }
        attempts[clip.id] = .downloading(DownloadProgress(received: 0, total: nil))
        let task = Task { await download(clip) }
        tasks[clip.id] = task
        await task.value
    }

    /// Ends a download. The next one resumes with the bytes that have come.
    public func cancel(_ id: UUID) {
        tasks[clip(id)?.id ?? id]?.cancel()
    }

    /// Removes a clip's sound from this machine.
    public func remove(_ id: UUID) async {
        guard let clip = clip(id) else { return }
        let id = clip.id
        tasks[id]?.cancel()
        await tasks[id]?.value
        do throws(StoreError) {
            try await service.downloads().delete(clip.audio)
            attempts[id] = nil
        } catch {
            // A part of it may be gone. It is said to be here only if the look that follows finds it.
            pinned[clip.audio] = nil
            attempts[id] = .failed(.store(error))
        }
        await look()
    }

    private func download(_ clip: AudioClip) async {
        defer { tasks[clip.id] = nil }
        let wasPinned = pinned[clip.audio] != nil
        do throws(DownloadError) {
            let downloads: Downloads
            do throws(StoreError) {
                downloads = try await service.downloads()
                try await downloads.pin(clip.audio)
            } catch { throw .store(error) }
            let download = downloads.download(clip.audio)
            let following = Task {
                for await progress in download.progress { follow(clip.id, progress) }
            }
            defer {
                following.cancel()
                download.cancel()
            }
            pinned[clip.audio] = try await download.file().savedAt
            attempts[clip.id] = nil
        } catch {
            attempts[clip.id] = error == .cancelled ? nil : .failed(error)
            // A clip that was not kept before is unpinned, so that it can make room for others. If that fails, the pin
            // costs room, no sound.
            if !wasPinned, let downloads = try? await service.downloads() { try? await downloads.unpin(clip.audio) }
        }
        await look()
    }

    private func follow(_ id: UUID, _ progress: DownloadProgress) {
        if case .downloading = attempts[id] { attempts[id] = .downloading(progress) }
    }

    /// The clip of an identity: its own, or the one that this machine has given it.
    public func clip(_ id: UUID) -> AudioClip? { clips.first { $0.id == id } ?? clips.first { identity(of: $0) == id } }

    /// Reads which sounds are kept, by this screen or another: those that are whole and pinned.
    private func look() async {
        // A folder that cannot be read tells nothing; playing and keeping a clip report it.
        folder = try? await service.downloads()
        guard let all = try? await folder?.list() else { return }
        let here = all.filter { $0.isPinned && $0.isWhole }
        keptBytes = here.reduce(0) { $0 + $1.progress.received }
        pinned = Dictionary(here.map { ($0.url, $0.savedAt ?? .distantPast) }) { $1 }
    }
}
