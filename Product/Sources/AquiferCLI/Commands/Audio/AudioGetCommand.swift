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
        let services = call.services()
        let clip = try await clip(services)
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

    private func clip(_ services: Services) async throws(CommandError) -> AudioClip {
        // A clip of the saved list need not wait for the latest one.
        if let saved = try? await services.audio.loadSaved().value,
            let clip = try? id.only(of: saved, "clip", listedBy: "audio list")
        {
            return clip
        }
        let clips: [AudioClip]
        do throws(LoadError) { clips = try await services.audio.load().value } catch { throw CommandError(error) }
        return try id.only(of: clips, "clip", listedBy: "audio list")
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
