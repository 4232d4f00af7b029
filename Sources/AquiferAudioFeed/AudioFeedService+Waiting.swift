import Aquifer
import AquiferFoundation

/// The clips that wait to be posted.
extension AudioFeedService {
    /// Queues a clip, to be posted as soon as there is a connection. Returns once the clip is on disk. It is in the list at once,
    /// in every process, until the server has it; then the server's clip is.
    ///
    /// - Parameters:
    ///   - draft: the title and the file.
    ///   - key: the key of an earlier try, if there was one; else a new one is made.
    /// - Throws: `OutboxError` when the clip could not be kept. Nothing was queued then, unless it is `StoreError.uncertain`.
    @discardableResult
    public func postLater(_ draft: ClipDraft, key: String? = nil) async throws(OutboxError) -> Outbox.Item {
        let post = ClipPost(draft, base: base, id: makeID(), createdAt: now())
        guard let item = try await list.change(post, label: draft.title, key: key) else {
            // No two posts cancel each other out.
            throw .unsendable("the clip was taken back")
        }
        return item
    }

    /// The identity of a clip for the rows of a screen: the one that this machine gave it when it was queued here, also when the
    /// server has given it its own.
    public func identity(of clip: AudioClip) -> UUID {
        UUID(uuidString: list.identity(of: clip.id.uuidString)) ?? clip.id
    }

    /// The sound of a clip that waits to be posted, from the outbox's own copy of its file.
    ///
    /// - Throws: `OutboxError` when there is no such item any more, or no sound in it.
    public func waitingSound(of id: Outbox.ID) async throws(OutboxError) -> WaitingSound {
        for case .file(let url, let offset, let length) in try await outbox.request(of: id).body?.parts ?? [] {
            do throws(ClipDraftError) {
                let (kind, _) = try ClipDraft.check(url, name: url.lastPathComponent)
                return WaitingSound(file: url, offset: offset, length: length, mediaType: kind.mediaType)
            } catch { throw .attachment(name: url.lastPathComponent, reason: "was damaged after it was queued") }
        }
        throw .notNow(id, reason: "is no clip")
    }

    /// Tries a clip that waits or was refused again, with the same key.
    ///
    /// - Throws: the errors of `Outbox.retry(_:)`.
    public func retry(_ id: Outbox.ID) async throws(OutboxError) { try await list.retry(id) }

    /// Takes a clip that waits or was refused back for good, also one that is being sent.
    ///
    /// - Returns: true if it may have arrived all the same.
    /// - Throws: the errors of `Outbox.discard(_:)`.
    @discardableResult
    public func discard(_ id: Outbox.ID) async throws(OutboxError) -> Bool {
        try await outbox.discard(id)?.mayHaveArrived == true
    }

    /// Gives a clip that waits another title. One that was refused is tried again.
    ///
    /// - Throws: `OutboxError`: `.unsendable` when the title cannot be used, `.notNow` when the server may have the clip already.
    public func rename(_ id: Outbox.ID, to title: String) async throws(OutboxError) {
        let checked: String
        do throws(ClipDraftError) { checked = try ClipDraft.title(title) } catch { throw .unsendable("\(error)") }
        let request = try await outbox.request(of: id)
        let waiting: [(item: PendingItem, change: ClipPost)]
        do throws(StoreError) { waiting = try await list.pendingChanges() } catch { throw .store(error) }
        guard let post = waiting.first(where: { $0.item.id == id })?.change else {
            // It was to be posted at once.
            guard let renamed = request.renamed(checked) else { throw .notNow(id, reason: "is no clip") }
            return try await outbox.edit(id, to: renamed, label: checked)
        }
        for case .file(let copy, _, _) in request.body?.parts ?? [] {
            return try await list.edit(id, to: post.renamed(checked, file: copy), label: checked)
        }
        throw .notNow(id, reason: "is no clip")
    }
}

/// The sound of a clip that waits to be posted: a part of a file on this machine.
public struct WaitingSound: Sendable, Hashable {
    /// The file. It is deleted when the server has the clip.
    public let file: URL
    /// The first byte.
    public let offset: UInt64
    /// The number of bytes.
    public let length: UInt64
    /// The media type.
    public let mediaType: String
}
