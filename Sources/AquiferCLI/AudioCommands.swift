import App
import Aquifer
import AquiferWording
import AudioFeed
import Foundation

/// `aquifer audio list [QUERY]`: the clips.
struct AudioListCommand {
    private let options: GlobalOptions
    private let query: String

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        query = arguments.words.joined(separator: " ")
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        var loaded = try await console.loading(options) { () async throws(LoadError) in
            try await services.audio.load()
        }
        loaded.value = loaded.value.filter { $0.matches(query) }
        if options.json {
            console.out(LoadReport.json(loaded) { $0.json })
            return .delivered
        }
        let now = options.configuration.now()
        let rows = loaded.value.map { clip in
            [
                clip.durationText, clip.title, clip.author ?? "",
                Language.english.relative(clip.createdAt, now: now), clip.id.uuidString,
            ]
        }
        console.table(
            ["LENGTH", "TITLE", "AUTHOR", "POSTED", "ID"], rows, options,
            ifEmpty: query.isEmpty ? "there are no clips yet" : "no clip is called \"\(query)\"")
        return .delivered
    }
}

/// `aquifer audio get ID -o FILE`: a clip's sound.
struct AudioGetCommand {
    private let options: GlobalOptions
    private let id: UUID
    private let output: String

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        var arguments = arguments
        id = try arguments.nextID(of: "clip", listedBy: "audio list")
        try arguments.end()
        output = try arguments.output(for: "sound")
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let clip = try await clip(services)
        let file: DownloadedFile
        do throws(DownloadError) { file = try await download(clip, services, console) } catch {
            throw CommandError(error)
        }
        try await write(file, console)
        return .delivered
    }

    private func download(
        _ clip: AudioClip, _ services: Services, _ console: Console
    ) async throws(DownloadError) -> DownloadedFile {
        let downloads: Downloads
        do throws(StoreError) { downloads = try services.audio.downloads() } catch { throw .store(error) }
        let download = downloads.download(clip.audio)
        let meter = console.meter(options, "getting \(clip.title)")
        let following = Task {
            for await progress in download.progress {
                meter.show(UInt64(progress.received), of: progress.total.map { UInt64($0) })
            }
        }
        defer {
            following.cancel()
            meter.end()
        }
        return try await download.file()
    }

    private func clip(_ services: Services) async throws(CommandError) -> AudioClip {
        let clips: [AudioClip]
        // A clip of the saved list need not wait for the latest one.
        if let saved = try? await services.audio.loadSaved().value, saved.contains(where: { $0.id == id }) {
            clips = saved
        } else {
            do throws(LoadError) { clips = try await services.audio.load().value } catch { throw CommandError(error) }
        }
        guard let clip = clips.first(where: { $0.id == id }) else {
            throw .notFound("no clip has the ID \(id.uuidString); aquifer audio list shows them")
        }
        return clip
    }

    /// Every byte is checked on its way.
    private func write(_ file: DownloadedFile, _ console: Console) async throws(CommandError) {
        let target = try OutputFile(output, console)
        do {
            for try await chunk in file.chunks() { try target.write(chunk) }
        } catch let error as CommandError {
            throw error
        } catch let error as StoreError {
            throw CommandError(error)
        } catch {
            throw CommandError(status: .interrupted, message: "interrupted")
        }
        try target.finish()
        target.report(options)
    }
}

/// `aquifer audio post FILE --title TEXT [--author TEXT] [--later]`: posts a clip, now or when there is a connection.
struct AudioPostCommand {
    private let options: GlobalOptions
    private let draft: ClipDraft
    private let later: Bool

    init(_ arguments: Arguments, _ options: GlobalOptions) throws(CommandError) {
        var arguments = arguments
        let file = try arguments.next("the file to post")
        try arguments.end()
        guard let title = arguments.value("--title") else { throw .usage("say what the clip is called: --title TEXT") }
        do throws(ClipDraftError) {
            draft = try ClipDraft(title: title, author: arguments.value("--author"), file: URL(filePath: file))
        } catch {
            let status: ExitStatus = if case .noFile = error { .notFound } else { .usage }
            throw CommandError(status: status, message: "\(error)")
        }
        later = arguments.has("--later")
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        defer { for notice in services.outbox.notices { console.note("\(notice)") } }
        return later ? try await queue(services, console) : try await post(services, console)
    }

    private func post(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let meter = console.meter(options, "posting \(draft.title)")
        let (draft, audio) = (draft, services.audio)
        let (result, _) = await Interruption.ending { () async -> Result<ClipPosting, ClipPostError> in
            do throws(ClipPostError) {
                let size = draft.size
                return .success(
                    try await audio.post(draft, key: audio.newKey()) { meter.show(min($0, size), of: size) })
            } catch { return .failure(error) }
        }
        meter.end()
        let posting: ClipPosting
        do throws(ClipPostError) { posting = try result.get() } catch { throw CommandError(error) }
        switch posting {
        case .posted(let clip):
            console.out(options.json ? clip.json.text : clip.id.uuidString)
            return .delivered
        case .waiting(let id, let failure):
            throw CommandError(
                status: .unknown,
                message:
                    "whether it was posted is not known: \(failure). It waits in the outbox as item \(id) under its"
                    + " key, and is posted once; aquifer outbox send --wait sends it, and so does aquifer serve")
        case .setAside(let id, let refusal):
            throw CommandError(
                status: .refused,
                message:
                    "the server refused it (\(refusal)), but it may have it all the same. It is in the outbox as item"
                    + " \(id); aquifer outbox retry \(id) posts it once, aquifer outbox discard \(id) lets it go")
        case .cancelled(let id?, _):
            throw CommandError(
                status: .interrupted,
                message:
                    "interrupted, but it may have arrived. It is in the outbox as item \(id), paused; aquifer outbox"
                    + " retry \(id) posts it once, aquifer outbox discard \(id) lets it go")
        case .cancelled(nil, let mayHaveArrived):
            throw CommandError(
                status: .interrupted,
                message: mayHaveArrived ? "interrupted, but it may have arrived" : "interrupted; it was not posted")
        }
    }

    private func queue(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        do throws(OutboxError) {
            let item = try await services.audio.postLater(draft)
            console.out(options.json ? item.json.text : "\(item.id)")
            if !options.quiet && !options.json {
                console.note("it waits in the outbox; aquifer outbox send sends it, and so does aquifer serve")
            }
            return .delivered
        } catch { throw CommandError(error) }
    }
}

extension CommandError {
    /// A clip that was not posted, for certain.
    init(_ error: ClipPostError) {
        switch error {
        case .noConnectivity(let reason):
            self.init(
                status: .unavailable,
                message:
                    "no connectivity, so nothing was posted (\(reason)); try again when online, or have it posted then"
                    + " with --later")
        case .refused(.server(let status, let words)):
            self.init(
                status: .refused,
                message: "the server refused it, and it was not posted: "
                    + "\(Outbox.Refusal.server(status: status, words: words))")
        case .refused(let refusal): self.init(status: .usage, message: "\(refusal)")
        case .notKept(let error): self.init(error)
        }
    }

    /// A download that is not there.
    init(_ error: DownloadError) {
        switch error {
        case .connectivity(let reason):
            self.init(
                status: .unavailable,
                message: "no connectivity, and the clip is not kept on this machine (\(reason)); what has come is kept,"
                    + " try again when online")
        case .invalidData(let reason): self.init(LoadError.invalidData(reason))
        case .store(let error): self.init(error)
        case .cancelled: self.init(status: .interrupted, message: "interrupted")
        }
    }
}

extension AudioClip {
    /// The clip in the remote's field names.
    fileprivate var json: JSONText {
        .object([
            ("id", .string(id.uuidString)), ("title", .string(title)), ("author", .string(author)),
            ("duration", .raw("\(duration)")), ("created_at", .string(createdAt.formatted(.iso8601))),
            ("audio", .string(audio.absoluteString)), ("waveform", .array(waveform.map { .raw("\($0)") })),
        ])
    }
}
