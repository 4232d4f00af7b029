import Aquifer
import Foundation
import Observation

/// The screen that posts a clip: its file, its title, and how posting goes.
@MainActor @Observable
public final class AudioComposeModel {
    /// What the screen is doing.
    public enum Phase: Sendable, Hashable {
        /// File and title are chosen.
        case editing
        /// The clip is on its way: so many bytes of so many have gone out.
        case sending(sent: UInt64, total: UInt64)
        /// The remote has it.
        case sent(AudioClip)
        /// It waits in the outbox.
        case queued(Outbox.ID)
        /// It was not posted, or it is not known whether it was. Trying again posts it once.
        case failed(LoadError)
        /// It could not be queued.
        case notQueued(OutboxError)
    }

    /// A file that was chosen.
    public struct File: Sendable, Hashable {
        /// Where it is.
        public let url: URL
        /// What it is called.
        public let name: String
        /// How many bytes it has.
        public let size: UInt64
    }

    /// What the screen is doing.
    public private(set) var phase = Phase.editing
    /// The file, if one was chosen that can be posted.
    public private(set) var file: File?
    /// Why the last file chosen cannot be posted.
    public private(set) var fileError: ClipDraftError?
    /// The title as typed.
    public private(set) var title = ""
    /// Why the title cannot be used; `nil` while nothing was typed.
    public var titleError: ClipDraftError? {
        do throws(ClipDraftError) {
            _ = try ClipDraft.title(title)
            return nil
        } catch { return title.isEmpty ? nil : error }
    }
    /// Whether there is a clip to be posted, and none is on its way.
    public var canSend: Bool {
        guard file != nil, !title.isEmpty, titleError == nil else { return false }
        switch phase {
        case .editing, .failed, .notQueued: return true
        case .sending, .sent, .queued: return false
        }
    }

    @ObservationIgnored private let service: AudioFeedService
    @ObservationIgnored private let discard: @MainActor (URL) -> Void
    /// One for each clip: trying again sends the same.
    @ObservationIgnored private var key: String?
    @ObservationIgnored private var task: Task<Void, Never>?

    /// The screen of a service.
    ///
    /// - Parameter discard: what to do with a file that is needed no more.
    public init(_ service: AudioFeedService, discard: @escaping @MainActor (URL) -> Void = { _ in }) {
        self.service = service
        self.discard = discard
    }

    isolated deinit {
        if let file { discard(file.url) }
    }

    /// Chooses a file, which is the screen's from now on.
    ///
    /// - Returns: whether it can be posted; ``fileError`` says why not.
    @discardableResult
    public func choose(_ url: URL, name: String) -> Bool {
        if case .sending = phase { return false }
        do throws(ClipDraftError) {
            let (_, size) = try ClipDraft.check(url, name: name)
            dropFile()
            file = File(url: url, name: name, size: size)
            fileError = nil
            changed()
            return true
        } catch {
            fileError = error
            discard(url)
            return false
        }
    }

    /// Lets the file go.
    public func removeFile() {
        if case .sending = phase { return }
        dropFile()
        fileError = nil
        changed()
    }

    /// Types the title.
    public func type(_ title: String) {
        if case .sending = phase { return }
        self.title = title
        changed()
    }

    /// Posts the clip now. Returns when it has ended one way or the other.
    public func send() async {
        guard canSend, let draft = draft() else { return }
        phase = .sending(sent: 0, total: draft.size)
        let key = key ?? service.newKey()
        self.key = key
        let task = Task { await post(draft, key) }
        self.task = task
        await task.value
        self.task = nil
    }

    /// Has the clip posted when there is a connection. Returns once it is on disk.
    public func sendLater() async {
        guard canSend, let draft = draft() else { return }
        do throws(OutboxError) {
            let item = try await service.postLater(draft)
            clear()
            phase = .queued(item.id)
        } catch { phase = .notQueued(error) }
    }

    /// Ends the post that is on its way. It may have arrived by then: trying again posts it once.
    public func cancel() {
        task?.cancel()
    }

    /// Begins another clip.
    public func again() {
        if case .sending = phase { return }
        clear()
        phase = .editing
    }

    private func post(_ draft: ClipDraft, _ key: String) async {
        let (steps, report) = AsyncStream.makeStream(of: UInt64.self, bufferingPolicy: .bufferingNewest(1))
        let following = Task {
            for await sent in steps {
                if case .sending = phase { phase = .sending(sent: min(sent, draft.size), total: draft.size) }
            }
        }
        defer {
            report.finish()
            following.cancel()
        }
        do throws(LoadError) {
            let clip = try await service.post(draft, key: key) { report.yield($0) }
            clear()
            phase = .sent(clip)
        } catch {
            phase = error == .cancelled ? .editing : .failed(error)
        }
    }

    private func draft() -> ClipDraft? {
        guard let file else { return nil }
        do throws(ClipDraftError) { return try ClipDraft(title: title, file: file.url, fileName: file.name) } catch {
            // Gone or changed since it was chosen.
            fileError = error
            dropFile()
            return nil
        }
    }

    /// Another file or title is another clip.
    private func changed() {
        key = nil
        phase = .editing
    }

    private func clear() {
        dropFile()
        fileError = nil
        title = ""
        key = nil
    }

    private func dropFile() {
        if let file { discard(file.url) }
        file = nil
    }
}
