import Aquifer
import AquiferFoundation
import Observation

/// The screen that posts a clip: its file, its title, and the progress of the post.
@MainActor @Observable
public final class AudioComposeModel {
    /// The state of the screen.
    public enum Phase: Sendable, Hashable {
        /// File and title are chosen.
        case editing
        /// The clip is on its way: so many bytes of so many have gone out.
        case sending(sent: UInt64, total: UInt64)
        /// The remote has it.
        case sent(AudioClip)
        /// The clip waits in the outbox, as the user wished.
        case queued(Outbox.ID)
        /// The remote may or may not have the clip. It waits in the outbox, and is posted once.
        case waiting(Outbox.ID, Outbox.Failure)
        /// The remote refused the clip, and it is in the outbox all the same.
        case setAside(Outbox.ID, Outbox.Refusal)
        /// The user has cancelled. If the clip may have arrived, it is in the outbox, paused.
        case cancelled(Outbox.ID?, mayHaveArrived: Bool)
        /// The clip was certainly not posted. Trying again posts it once.
        case failed(ClipPostError)
        /// The clip is on its way from elsewhere, or was: nobody here knows if it has arrived. Trying again posts it once.
        case inDoubt
    }

    /// The state of the screen.
    public private(set) var phase = Phase.editing
    /// The file, if one was chosen that can be posted.
    public private(set) var file: File?
    /// The reason why the last file chosen cannot be posted.
    public private(set) var fileError: ClipDraftError?
    /// The title as typed.
    public private(set) var title = ""
    /// The reason why the title cannot be used; `nil` while nothing was typed.
    public var titleError: ClipDraftError? {
        do throws(ClipDraftError) {
            _ = try ClipDraft.title(title)
            return nil
        } catch { return title.isEmpty ? nil : error }
    }
    /// The author as typed; it stays from clip to clip.
    public private(set) var author = ""
    /// True if there is a clip to be posted, and none is on its way.
    public var canSend: Bool {
        guard file != nil, !title.isEmpty, titleError == nil else { return false }
        switch phase {
        case .editing, .failed, .inDoubt, .cancelled(nil, _): return true
        case .sending, .sent, .queued, .waiting, .setAside, .cancelled: return false
        }
    }

    @ObservationIgnored private let service: AudioFeedService
    @ObservationIgnored private let discard: @MainActor (URL) -> Void
    /// One for each clip: trying again sends the same.
    @ObservationIgnored private var key: String?
    @ObservationIgnored private var task: Task<Void, Never>?

    /// The screen of a service.
    ///
    /// - Parameters:
    ///   - service: posts the clips.
    ///   - discard: called with each file that is no longer needed.
    public init(_ service: AudioFeedService, discard: @escaping @MainActor (URL) -> Void = { _ in }) {
        self.service = service
        self.discard = discard
    }

    isolated deinit {
        if let file { discard(file.url) }
    }

    /// Chooses a file, which is the screen's from now on.
    ///
    /// - Returns: true if it can be posted. ``fileError`` gives the reason if not. While a clip is being sent, no file
    ///   is chosen: this one is let go.
    @discardableResult
    public func choose(_ url: URL, name: String) -> Bool {
        if case .sending = phase {
            discard(url)
            return false
        }
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

    /// Types the author, who may be left out. Does nothing while a clip is being sent.
    public func sign(_ author: String) {
        if case .sending = phase { return }
        guard author != self.author else { return }
        self.author = author
        // By another author it is another clip.
        key = nil
        if phase == .inDoubt { phase = .editing }
    }

    /// True while a clip is on its way from here.
    public var isSending: Bool { if case .sending = phase { true } else { false } }

    /// The form as it is.
    public var form: Form { Form(title: title, file: file, key: key, author: author, isBeingSent: isSending) }

    /// Goes on with a form that was begun elsewhere, whose file is the screen's from now on. Does nothing while a clip is being
    /// sent. A form whose clip is being sent elsewhere is ``Phase/inDoubt`` until it is changed.
    public func restore(_ form: Form) {
        if isSending { return }
        if form.file?.url != file?.url { dropFile() }
        (title, file, key, fileError) = (form.title, form.file, form.key, nil)
        phase = form.isBeingSent ? .inDoubt : .editing
        author = form.author ?? author
    }

    /// Keeps a form whose clip is about to be posted, so that another screen goes on with it under its key.
    ///
    /// - Returns: false if another screen has done something to the form: it is not posted then.
    /// - Throws: `StoreError` if nobody knows. It is not posted then either.
    public typealias Keeping = @MainActor (Form) async throws(StoreError) -> Bool

    /// Posts the clip now. Returns when the post has ended, one way or the other.
    public func send(keeping keep: Keeping = { _ in true }) async {
        guard let (draft, key) = await begin(keep) else { return }
        let task = Task { await post(draft, key) }
        self.task = task
        await task.value
        self.task = nil
    }

    /// Queues the clip, to be posted when there is a connection. Returns once it is on disk.
    public func sendLater(keeping keep: Keeping = { _ in true }) async {
        guard let (draft, key) = await begin(keep) else { return }
        do throws(OutboxError) {
            let item = try await service.postLater(draft, key: key)
            clear()
            phase = .queued(item.id)
        } catch { phase = .failed(.notKept(error)) }
    }

    /// Takes the clip from the form. Whatever is pressed, typed or chosen from here on is for no clip of this form.
    private func begin(_ keep: Keeping) async -> (ClipDraft, key: String)? {
        guard canSend, let draft = draft() else { return nil }
        phase = .sending(sent: 0, total: draft.size)
        let key = key ?? service.newKey()
        self.key = key
        do throws(StoreError) {
            if try await keep(form) { return (draft, key) }
            phase = .editing
        } catch { phase = .failed(.notKept(.store(error))) }
        return nil
    }

    /// Ends the post that is on its way. ``phase`` then tells if the clip may have arrived.
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
        do throws(ClipPostError) {
            switch try await service.post(draft, key: key, onSent: { report.yield($0) }) {
            case .posted(let clip):
                clear()
                phase = .sent(clip)
            case .waiting(let id, let failure):
                clear()
                phase = .waiting(id, failure)
            case .setAside(let id, let refusal):
                clear()
                phase = .setAside(id, refusal)
            case .cancelled(let id, let mayHaveArrived):
                // The outbox has the clip: the form would post a second one.
                if id != nil { clear() }
                phase = .cancelled(id, mayHaveArrived: mayHaveArrived)
            }
        } catch {
            phase = .failed(error)
        }
    }

    private func draft() -> ClipDraft? {
        guard let file else { return nil }
        do throws(ClipDraftError) {
            return try ClipDraft(title: title, author: author, file: file.url, fileName: file.name)
        } catch {
            // The file is gone or was changed since it was chosen.
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
