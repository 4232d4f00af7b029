import Aquifer
import AquiferFoundation

extension AudioFeedService {
    /// The outbox for clips: it takes for an answer only what the contract says, and saves each clip that was posted at once.
    /// A clip that waits as a change (``ClipPost``) is sent for any server, also one whose list
    /// this process does not have.
    ///
    /// - Parameters:
    ///   - queue: keeps the posts; for this queue alone.
    ///   - files: the place of the copies of files; the outbox's own.
    ///   - client: sends the posts.
    ///   - policy: the times and numbers of sending.
    ///   - store: keeps the saved list of clips.
    ///   - now: the clock for the date of the saved list.
    ///   - events: told what the engine does; `nil` if nobody listens.
    public static func outbox(
        in queue: any CacheStore, files: OutboxFiles, client: any HTTPClient, policy: SendPolicy = SendPolicy(),
        store: any CacheStore, now: @escaping @Sendable () -> Date = { Date() },
        events: (any AquiferEvents)? = nil
    ) -> Outbox {
        let outbox = Outbox(
            in: queue, files: files, client: client, policy: policy, events: events,
            judge: { _, head, body in verdict(head, body) },
            whenSent: { item, answer in
                // The judge has read it before. A list that cannot be saved now shows the clip after the next load.
                guard let clip = try? AudioFeedMapper.posted(answer.head, answer.body) else { return }
                try? await ClipShelf(url: item.url, store: store, now: now, events: events).add(clip)
            })
        outbox.sendChanges(ClipPost.self) { ClipShelf.clips.contains($0) }
        return outbox
    }

    /// The meaning of an answer to a post. The server has the clip when it answers with it, and only then: a 2xx with
    /// anything else is not the server's own answer, and nobody knows whether the server has the clip.
    static func verdict(_ head: HTTPResponseHead, _ body: Data) -> Outbox.Verdict {
        let verdict = Outbox.Verdict(head, body)
        guard verdict == .sent else { return verdict }
        do {
            _ = try AudioFeedMapper.posted(head, body)
            return .sent
        } catch { return .foreign }
    }
}

/// The fate of a clip that was to be posted at once.
public enum ClipPosting: Sendable, Hashable {
    /// The remote has it: the clip as the remote tells it.
    case posted(AudioClip)
    /// Nobody knows whether the remote has it. It waits in the outbox, and is posted once.
    case waiting(Outbox.ID, Outbox.Failure)
    /// The remote refused it, and it is in the outbox all the same as this item: the answer does not tell whether the
    /// remote has it, or it could not be taken out.
    case setAside(Outbox.ID, Outbox.Refusal)
    /// The user has cancelled. With an ID it is in the outbox as that item, paused, because it may have arrived all the
    /// same.
    case cancelled(Outbox.ID?, mayHaveArrived: Bool)
}

/// The reason why a clip was not posted, for certain. Nothing of it is in the outbox, unless ``notKept(_:)`` is uncertain.
public enum ClipPostError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There was no connection, and nothing was sent.
    case noConnectivity(String)
    /// The remote refused it.
    case refused(Outbox.Refusal)
    /// It could not be written down before it was to be sent. After `StoreError.uncertain` it may be in the outbox, and is posted then:
    /// another try with the same key posts it once.
    case notKept(OutboxError)

    /// One line: what was wrong.
    public var description: String {
        switch self {
        case .noConnectivity(let reason): "there is no connection (\(reason))"
        case .refused(let refusal): "\(refusal)"
        case .notKept(let error): "\(error)"
        }
    }
}
