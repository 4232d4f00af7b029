import Aquifer
import AquiferFoundation

/// A clip that a user posts, as a change of the list: it is in the list at once, and the server's clip takes its place when the
/// server has it.
public struct ClipPost: PendingChange, Hashable {
    /// The list.
    public typealias Value = [AudioClip]

    /// The identity of the clip: the one that this machine has given to it, until the server's own is known.
    public private(set) var id: UUID
    /// The clip as the list shows it: the server's own as soon as the server has it. Until then its address is the one to which it
    /// will be posted: its sound is in the outbox (``AudioFeedService/waitingSound(of:)``).
    public private(set) var clip: AudioClip
    /// The name of its file.
    public let fileName: String
    /// The media type of its sound.
    public let mediaType: String
    /// The number of bytes of its sound.
    public let size: UInt64
    /// True if the server has it.
    public private(set) var isPosted = false
    /// The file from which its request is made. The outbox copies it.
    private var file: URL

    /// The post of a draft.
    ///
    /// - Parameters:
    ///   - draft: the title and the file.
    ///   - base: the address of the server.
    ///   - id: the clip's identity until the server gives it its own.
    ///   - createdAt: the time at which the user posts it.
    public init(_ draft: ClipDraft, base: URL, id: UUID, createdAt: Date) {
        self.id = id
        clip = AudioClip(
            id: id, title: draft.title, author: draft.author, duration: 0, createdAt: createdAt,
            audio: HTTPRequest.audioClips(base).url)
        fileName = draft.fileName
        mediaType = draft.kind.mediaType
        size = draft.size
        file = draft.file
    }

    /// The clip's identity on this machine.
    public var target: String { id.uuidString }

    /// All clips are sent one after another, in their order.
    public var group: String { AudioFeedService.group }

    /// Adds the clip, in place of the one of its identity.
    public func apply(to clips: inout [AudioClip]) { clips = clips.adding(clip) }

    /// Adds the clip, in place of the one that the server may have of it.
    ///
    /// The server may have the clip although its answer was lost. The list then has it under an identity that nobody knows here. It
    /// is told by its title and author, and by its time: it was posted after it was queued. Until the server's answer comes, the
    /// clip that waits stands in its place, so that there is one.
    public func apply(to clips: inout [AudioClip], wasTried: Bool) {
        if wasTried, !isPosted, !clips.contains(where: { $0.id == id }), let place = clips.firstIndex(where: mayBeThis)
        {
            clips.remove(at: place)
        }
        apply(to: &clips)
    }

    private func mayBeThis(_ other: AudioClip) -> Bool {
        // A server may tell whole seconds.
        let queuedAt = clip.createdAt.timeIntervalSince1970.rounded(.down)
        return other.title == clip.title && other.author == clip.author && other.audio != clip.audio
            && other.createdAt.timeIntervalSince1970 >= queuedAt
    }

    /// The post of the clip, its file streamed.
    ///
    /// - Throws: `OutboxError` when the file is not there any more.
    public func request(version: String?) throws -> HTTPRequest {
        do {
            return try HTTPRequest.postClip(
                to: clip.audio, title: clip.title, author: clip.author,
                (file: file, type: mediaType, name: fileName), boundary: id)
        } catch is MultipartForm.UnusableFile {
            throw OutboxError.attachment(name: fileName, reason: "is not there any more")
        }
    }

    /// The same with the server's clip.
    public func confirmation(_ answer: Outbox.Answer) throws -> ChangeConfirmation<ClipPost> {
        var posted = self
        posted.clip = try AudioFeedMapper.posted(answer.head, answer.body)
        posted.isPosted = true
        return ChangeConfirmation(posted, id: posted.clip.id.uuidString)
    }

    /// The server has the clip when it answers with it, and only then.
    public func verdict(_ head: HTTPResponseHead, _ body: Data) -> Outbox.Verdict? {
        AudioFeedService.verdict(head, body)
    }

    /// The same clip under another identity.
    public func replacingIDs(_ real: (String) -> String) -> ClipPost {
        guard let known = UUID(uuidString: real(id.uuidString)), known != id else { return self }
        var replaced = self
        replaced.id = known
        if !isPosted {
            replaced.clip = clip.changed(id: known)
        }
        return replaced
    }

    /// True if the list has the server's clip.
    public func isShown(in clips: [AudioClip]) -> Bool? {
        isPosted ? clips.contains { $0.id == clip.id } : nil
    }

    /// The same clip with another title, to be posted from this file.
    func renamed(_ title: String, file: URL) -> ClipPost {
        var renamed = self
        renamed.clip = clip.changed(title: title)
        renamed.file = file
        return renamed
    }
}

extension AudioClip {
    /// The same clip with another identity or title.
    fileprivate func changed(id: UUID? = nil, title: String? = nil) -> AudioClip {
        AudioClip(
            id: id ?? self.id, title: title ?? self.title, author: author, duration: duration, createdAt: createdAt,
            audio: audio, waveform: waveform)
    }
}
