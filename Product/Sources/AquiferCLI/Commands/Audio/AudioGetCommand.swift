import App
import Aquifer
import AquiferAudioFeed
import AquiferWording
import Foundation

/// `aquifer audio get ID -o FILE`: a clip's sound.
struct AudioGetCommand: CommandHandler {
    private let call: CommandCall
    private let id: GivenID
    private let output: String

    init(_ call: CommandCall) throws(CommandError) {
        id = GivenID(call.words[0])
        output = try call.arguments.output(for: "sound")
        self.call = call
    }

    func run() async throws(CommandError) -> ExitStatus {
        let services = call.services(patience: nil)
        let (clip, item) = try await clip(services)
        if let item {
            try await write(item, services)
            return .delivered
        }
        let file: DownloadedFile
        do throws(DownloadError) { file = try await download(clip, services) } catch {
            throw CommandError(error)
        }
        try await write(file)
        return .delivered
    }

    private func download(_ clip: AudioClip, _ services: Services) async throws(DownloadError) -> DownloadedFile {
        let downloads: Downloads
        do throws(StoreError) { downloads = try await services.audio.downloads() } catch { throw .store(error) }
        let download = downloads.download(clip.audio)
        let meter = call.console.meter(call.options, "getting \(clip.title)")
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

    /// The clip, with its item in the outbox if it waits to be posted.
    private func clip(_ services: Services) async throws(CommandError) -> (AudioClip, Outbox.ID?) {
        // A clip of the saved list need not wait for the latest one.
        if let saved = try? await services.audio.loadSaved(), let found = try? chosen(from: saved, services) {
            return found
        }
        let loaded: Loaded<[AudioClip]>
        do throws(LoadError) { loaded = try await services.audio.load() } catch { throw CommandError(error) }
        return try chosen(from: loaded, services)
    }

    private func chosen(
        from loaded: Loaded<[AudioClip]>, _ services: Services
    ) throws(CommandError) -> (AudioClip, Outbox.ID?) {
        let clip: AudioClip
        do throws(CommandError) { clip = try id.only(of: loaded.value, "clip", listedBy: "audio list") } catch {
            // The ID may be the one that a clip had while it waited to be posted. Any other error is that of the IDs of now.
            let earlier = loaded.value.map { Earlier(id: services.audio.identity(of: $0), clip: $0) }
            guard let found = try? id.only(of: earlier, "clip", listedBy: "audio list") else { throw error }
            clip = found.clip
        }
        return (clip, loaded.pending.first { $0.target == clip.id.uuidString }?.id)
    }

    /// A clip under the ID that it had while it waited.
    private struct Earlier: Identifiable {
        let id: UUID
        let clip: AudioClip
    }

    /// Writes the sound of a clip that waits to be posted, from the outbox's own copy.
    private func write(_ item: Outbox.ID, _ services: Services) async throws(CommandError) {
        let sound: WaitingSound
        do throws(OutboxError) { sound = try await services.audio.waitingSound(of: item) } catch {
            throw CommandError(error)
        }
        let target = try OutputFile(output, call.console)
        do {
            let file = try FileHandle(forReadingFrom: sound.file)
            try file.seek(toOffset: sound.offset)
            var left = sound.length
            while left > 0, let chunk = try file.read(upToCount: Int(min(left, 1 << 20))), !chunk.isEmpty {
                try target.write(chunk)
                left -= UInt64(chunk.count)
            }
            guard left == 0 else { throw CommandError(status: .store, message: "the sound is shorter than it was") }
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(status: .store, message: "the sound in the outbox cannot be read (\(error))")
        }
        try target.finish()
        target.report(call.options) { ResultDocument(local: $0) }
    }

    /// Every byte is checked on its way.
    private func write(_ file: DownloadedFile) async throws(CommandError) {
        let target = try OutputFile(output, call.console)
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
        // The clip is read from the download on this machine, which the server confirmed at this time.
        target.report(call.options) { ResultDocument(saved: $0, at: file.savedAt) }
    }
}

extension CommandError {
    /// A download that is not there.
    init(_ error: DownloadError) {
        switch error {
        case .connectivity(let reason):
            self.init(status: .unavailable, error.message(in: .english), details: reason.details)
        case .invalidData(let reason): self.init(LoadError.invalidData(reason))
        case .store(let error): self.init(error)
        case .cancelled: self.init(status: .interrupted, message: "interrupted")
        }
    }
}
