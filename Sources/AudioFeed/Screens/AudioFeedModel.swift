import Aquifer
import Foundation
import Observation

/// The screen of the clips: the list, and which of them are kept on this machine.
@MainActor @Observable
public final class AudioFeedModel {
    /// How a clip's sound is kept.
    public enum Kept: Sendable, Hashable {
        /// Not at all, or only as long as there is room.
        case none
        /// On its way.
        case downloading(DownloadProgress)
        /// Whole: it plays without a connection.
        case kept
        /// It could not be had.
        case failed(DownloadError)
    }

    /// The list's state.
    public let list: ResourceModel<[AudioClip]>
    /// How many bytes of sound are kept because the customer asked for it.
    public private(set) var keptBytes = 0
    /// The addresses of the sounds that are whole and pinned, of this list or another.
    private var pinned: Set<URL> = []
    /// The clips whose sound is on its way, or could not be had.
    private var attempts: [UUID: Kept] = [:]

    @ObservationIgnored private let service: AudioFeedService
    @ObservationIgnored private var tasks: [UUID: Task<Void, Never>] = [:]

    /// The clips.
    public var clips: [AudioClip] { list.value ?? [] }
    /// Whether a load has shown that there are no clips.
    public var isEmpty: Bool { list.value?.isEmpty == true && !list.isLoading }

    /// The screen of a service.
    public init(_ service: AudioFeedService) {
        self.service = service
        list = ResourceModel(service.loading)
    }

    /// How a clip's sound is kept.
    public func kept(_ clip: AudioClip) -> Kept {
        if case .downloading = attempts[clip.id] { return attempts[clip.id] ?? .none }
        return pinned.contains(clip.audio) ? .kept : attempts[clip.id] ?? .none
    }

    /// The screen is visible: loads the list, the first time, and looks at what is kept.
    public func appear() async {
        await look()
        await list.appear()
        await look()
    }

    /// Loads the latest list.
    public func refresh() async {
        await list.refresh()
        await look()
    }

    /// Keeps a clip's sound on this machine: until it is removed, whatever else comes. Returns when it is there, or
    /// could not be had.
    ///
    /// The download goes on when the calling task is cancelled: who leaves the screen wants the clip all the same.
    public func keep(_ id: UUID) async {
        guard tasks[id] == nil, let clip = clip(id), kept(clip) != .kept else { return }
        attempts[id] = .downloading(DownloadProgress(received: 0, total: nil))
        let task = Task { await download(clip) }
        tasks[id] = task
        await task.value
    }

    /// Ends a download. What has come is gone on with the next time.
    public func cancel(_ id: UUID) {
        tasks[id]?.cancel()
    }

    /// Removes a clip's sound from this machine.
    public func remove(_ id: UUID) async {
        tasks[id]?.cancel()
        await tasks[id]?.value
        guard let clip = clip(id) else { return }
        do throws(StoreError) {
            try await service.downloads().delete(clip.audio)
            attempts[id] = nil
        } catch {
            attempts[id] = .failed(.store(error))
        }
        await look()
    }

    private func download(_ clip: AudioClip) async {
        defer { tasks[clip.id] = nil }
        do throws(DownloadError) {
            let downloads: Downloads
            do throws(StoreError) {
                downloads = try service.downloads()
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
            _ = try await download.file()
            pinned.insert(clip.audio)
            attempts[clip.id] = nil
        } catch {
            attempts[clip.id] = error == .cancelled ? nil : .failed(error)
            // What is not kept may make room for others. A pin that stays costs room, no sound.
            if let downloads = try? service.downloads() { try? await downloads.unpin(clip.audio) }
        }
        await look()
    }

    private func follow(_ id: UUID, _ progress: DownloadProgress) {
        if case .downloading = attempts[id] { attempts[id] = .downloading(progress) }
    }

    private func clip(_ id: UUID) -> AudioClip? { clips.first { $0.id == id } }

    /// What is whole and pinned is kept, by this screen or another.
    private func look() async {
        // A folder that cannot be looked at says nothing of what is kept; playing and keeping will tell.
        guard let downloads = try? service.downloads(), let all = try? await downloads.list() else { return }
        let here = all.filter { $0.isPinned && $0.isWhole }
        keptBytes = here.reduce(0) { $0 + $1.progress.received }
        pinned = Set(here.map(\.url))
    }
}
