import App
import Aquifer
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
        console.wrote(UInt64(file.length), to: output, options)
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
            throw CommandError(
                status: .usage, message: "no clip has the ID \(id.uuidString); aquifer audio list shows them")
        }
        return clip
    }

    /// Every byte checked on its way; in place in one step.
    private func write(_ file: DownloadedFile, _ console: Console) async throws(CommandError) {
        do {
            guard output != "-" else {
                for try await chunk in file.chunks() { console.out(chunk) }
                return
            }
            let target = URL(filePath: output)
            let partial = target.deletingLastPathComponent()
                .appending(path: ".\(target.lastPathComponent).\(UUID().uuidString)")
            // What is half written is no use to anybody; what was put in place is not there any more.
            defer { try? FileManager.default.removeItem(at: partial) }
            guard FileManager.default.createFile(atPath: partial.path, contents: nil) else {
                throw CocoaError(.fileWriteNoPermission)
            }
            let handle = try FileHandle(forWritingTo: partial)
            for try await chunk in file.chunks() { try handle.write(contentsOf: chunk) }
            try handle.close()
            guard rename(partial.path, target.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch let error as StoreError {
            throw CommandError(error)
        } catch {
            throw CommandError(status: .store, message: "\(output) cannot be written; name another file with -o")
        }
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
            throw CommandError(status: .usage, message: "\(error)")
        }
        later = arguments.has("--later")
        self.options = options
    }

    func run(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        later ? try await queue(services, console) : try await post(services, console)
    }

    private func post(_ services: Services, _ console: Console) async throws(CommandError) -> ExitStatus {
        let meter = console.meter(options, "posting \(draft.title)")
        defer { meter.end() }
        do throws(LoadError) {
            let size = draft.size
            let clip = try await services.audio.post(draft, key: services.audio.newKey()) {
                meter.show(min($0, size), of: size)
            }
            meter.end()
            console.out(options.json ? clip.json.text : clip.id.uuidString)
            return .delivered
        } catch {
            guard case .connectivity(let reason) = error else { throw CommandError(error) }
            throw CommandError(
                status: .unavailable,
                message:
                    "it was not posted, or it is not known whether it was (\(reason)); aquifer audio list shows what"
                    + " arrived, and --later posts it, once, as soon as there is a connection")
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
        case .cancelled: self.init(status: .unavailable, message: "interrupted")
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
