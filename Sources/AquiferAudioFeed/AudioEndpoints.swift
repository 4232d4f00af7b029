import Aquifer
import AquiferFoundation

/// The requests of the audio feed's contract (`docs/reference/feeds.md`), from the base URL of its server.
extension HTTPRequest {
    /// `GET /v1/audio`.
    public static func audioClips(_ base: URL) -> HTTPRequest {
        HTTPRequest(.get, base.appending(path: "v1/audio"), headers: ["Accept": "application/json"])
    }

    /// `POST /v1/audio`: a clip, its file streamed. The sender adds the `Idempotency-Key`.
    ///
    /// - Throws: `MultipartForm.UnusableFile` when the file is not there any more.
    public static func postClip(_ base: URL, _ draft: ClipDraft) throws -> HTTPRequest {
        try postClip(
            to: audioClips(base).url, title: draft.title, author: draft.author,
            (file: draft.file, type: draft.kind.mediaType, name: draft.fileName))
    }

    /// The post of a clip.
    ///
    /// - Parameter boundary: makes the line between the fields of its form.
    static func postClip(
        to url: URL, title: String, author: String?, _ sound: (file: URL, type: String, name: String),
        boundary: UUID = UUID()
    ) throws -> HTTPRequest {
        var form = MultipartForm(id: boundary)
        form.add("metadata", try ClipMetadata(title: title, author: author).encoded(), type: "application/json")
        try form.add("audio", file: sound.file, type: sound.type, filename: sound.name)
        return HTTPRequest(
            .post, url, headers: ["Accept": "application/json", "Content-Type": form.contentType], body: form.body)
    }
}

/// The part of a post that tells the title and the author of the clip.
struct ClipMetadata: Codable {
    var title: String
    let author: String?

    /// The part as JSON, always the same for the same values.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }
}
