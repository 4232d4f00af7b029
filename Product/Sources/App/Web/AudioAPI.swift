import Aquifer
import AquiferAudioFeed
import Foundation
import HTTPServer

/// The sound behind the audio screens: clips out, with ranges, and files in.
struct AudioAPI: Sendable {
    let hub: ScreenHub
    let services: Services
    let relays: Relays

    /// The path to which pages upload files. These may be larger than other bodies.
    static let filePath = "/api/screens/audio-compose/file"

    func add(to router: inout Router) {
        router.on("GET", "/api/screens/audio/clips/:id") { request, parameters in
            await sound(request, parameters["id"].flatMap(UUID.init))
        }
        router.on("POST", Self.filePath) { request, _ in await take(request) }
        router.on("GET", Self.filePath) { request, _ in await chosen(request) }
    }

    /// A clip's sound: from this machine if it waits to be posted or is kept, else from the remote, with the range that the page
    /// requests.
    private func sound(_ request: ServerRequest, _ id: UUID?) async -> ServerResponse {
        guard let id, let tab = request.queryValue("tab"), let found = await clip(id, tab: tab) else {
            return .problem(404, "notFound", "this tab shows no such clip")
        }
        guard let item = found.item else { return await posted(found.clip, request) }
        do throws(OutboxError) {
            return waiting(try await services.audio.waitingSound(of: item), request)
        } catch {
            // It may have been posted since the tab drew it.
            guard let now = await saved(id), now.item == nil else {
                return .problem(404, "notFound", "the sound of this clip is not on this machine any more")
            }
            return await posted(now.clip, request)
        }
    }

    private func clip(_ id: UUID, tab: String) async -> (clip: AudioClip, item: Outbox.ID?)? {
        if let shown = await hub.clip(id, tab: tab) { return shown }
        // The player outlives the screen. Its clip is in the saved list.
        return await saved(id)
    }

    private func saved(_ id: UUID) async -> (clip: AudioClip, item: Outbox.ID?)? {
        let audio = services.audio
        // A list that cannot be read has no such clip.
        guard let saved = try? await audio.loadSaved(),
            let clip = saved.value.first(where: { $0.id == id || audio.identity(of: $0) == id })
        else { return nil }
        return (clip, saved.pending.first { $0.target == clip.id.uuidString }?.id)
    }

    private func posted(_ clip: AudioClip, _ request: ServerRequest) async -> ServerResponse {
        // A file that cannot be read is fetched anew.
        if let file = try? await services.audio.downloads().saved(clip.audio) { return kept(file, request) }
        return await relays.counting { await passed(clip, request) }
    }

    /// The sound of a clip that waits to be posted, from the outbox's own copy of it.
    private func waiting(_ sound: WaitingSound, _ request: ServerRequest) -> ServerResponse {
        .resource(
            length: sound.length, contentType: sound.mediaType, headers: ["X-Aquifer-Source": "outbox"], for: request
        ) { part in
            .file(
                path: sound.file.path, offset: sound.offset + part.lowerBound,
                length: part.upperBound - part.lowerBound)
        }
        .relayed(sound.mediaType, as: .sound)
    }

    private func kept(_ file: DownloadedFile, _ request: ServerRequest) -> ServerResponse {
        // The server named no type for a kept file without one. Players detect the type themselves.
        .resource(
            length: UInt64(file.length), contentType: file.mediaType ?? "audio/mpeg", etag: file.validators.etag,
            headers: ["X-Aquifer-Source": "kept"], for: request
        ) { part in
            .stream(length: UInt64(part.count)) { writer in
                for try await chunk in file.chunks(Int(part.lowerBound)..<Int(part.upperBound)) {
                    try await writer.write(chunk)
                }
            }
        }
        .relayed(file.mediaType ?? "audio/mpeg", as: .sound)
    }

    private func passed(_ clip: AudioClip, _ request: ServerRequest) async -> ServerResponse {
        let response: HTTPResponse
        do throws(TransportError) {
            response = try await services.audio.open(
                clip, range: request.headers["Range"], ifRange: request.headers["If-Range"])
        } catch {
            return .problem(504, "connectivity", "this clip is not kept on this machine, and cannot be loaded now")
        }
        guard [200, 206, 416].contains(response.head.status), !response.head.isEncoded else {
            return .problem(502, "invalidData", "the server has no such clip")
        }
        return ServerResponse(
            relaying: response, as: .sound, keeping: ["Content-Range", "Accept-Ranges", "ETag", "Last-Modified"])
    }

    /// Stores a file that the page uploads, and gives it to the tab's form.
    private func take(_ request: ServerRequest) async -> ServerResponse {
        guard let tab = request.queryValue("tab"), let address = ScreenAPI.tab(tab) else {
            return .problem(404, "notFound", "name the tab that the file is for")
        }
        let name = request.queryValue("name").map { String($0.prefix(200)) } ?? ""
        let file: URL
        do throws(UploadRefusal) {
            // The limit is one byte more than can be posted, so that the form reports a file that is too large.
            file = try await services.uploads.take(
                request.body, limit: ClipDraft.largestFile + 1, announced: request.announcedLength)
        } catch {
            return .problem(error.status, error.kind, error.message)
        }
        return await choose(file, name.isEmpty ? "clip" : name, address)
    }

    /// The file that a tab's form keeps: a page that is loaded again lets its user hear it.
    @MainActor
    private func chosen(_ request: ServerRequest) -> ServerResponse {
        guard let tab = request.queryValue("tab"),
            let file = hub.opened(AudioComposeScreen.self, tab: tab).first?.model.file
        else { return .problem(404, "notFound", "this tab keeps no file") }
        return ServerResponse(body: .file(path: file.url.path, offset: 0, length: file.size)).relayed(nil, as: .file)
    }

    @MainActor
    private func choose(_ file: URL, _ name: String, _ tab: String) async -> ServerResponse {
        let session = hub.session(at: ScreenAddress(name: AudioComposeScreen.name, tab: tab, subject: ""))
        await session?.prepare()
        guard let screen = session?.screen as? AudioComposeScreen else {
            services.uploads.remove(file)
            return .problem(500, "screen", "the form could not be opened")
        }
        do throws(StoreError) { try await screen.shelf?.keep(file) } catch {
            services.uploads.remove(file)
            let isFull = error == services.groundwork.user?.quota.isFull
            return isFull ? .problem(507, "quota", "\(error)") : .failure(of: error)
        }
        let isChosen = screen.model.choose(file, name: name)
        await screen.save()
        return isChosen
            ? .empty()
            : .problem(
                422, "file", screen.model.fileError?.description ?? "a clip is being posted; wait until it has ended")
    }
}
