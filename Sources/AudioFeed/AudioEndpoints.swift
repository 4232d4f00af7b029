import Aquifer
import AquiferFoundation

/// The requests of the audio feed's contract (`reference/feeds.md`), from the base URL of its server.
extension HTTPRequest {
    /// `GET /v1/audio`.
    public static func audioClips(_ base: URL) -> HTTPRequest {
        HTTPRequest(.get, base.appending(path: "v1/audio"), headers: ["Accept": "application/json"])
    }

    /// `POST /v1/audio`: a clip, its file streamed. The sender adds the `Idempotency-Key`.
    ///
    /// - Throws: `MultipartForm.UnusableFile` when the file is not there any more.
    public static func postClip(_ base: URL, _ draft: ClipDraft) throws -> HTTPRequest {
        var form = MultipartForm()
        let metadata = try ClipMetadata(title: draft.title, author: draft.author).encoded()
        form.add("metadata", metadata, type: "application/json")
        try form.add("audio", file: draft.file, type: draft.kind.mediaType, filename: draft.fileName)
        return HTTPRequest(
            .post, base.appending(path: "v1/audio"),
            headers: ["Accept": "application/json", "Content-Type": form.contentType], body: form.body)
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
