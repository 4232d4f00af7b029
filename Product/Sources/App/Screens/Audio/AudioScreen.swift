import Aquifer
import AquiferAudioFeed
import AquiferWording
import Foundation

/// The clips as their page draws them.
@MainActor
final class AudioScreen: Screen {
    static let name = "audio"

    struct State: ScreenState {
        let phase: LoadPhase
        let isLoading: Bool
        @OrNull var notice: String?
        @OrNull var error: ScreenError?
        let clips: [Clip]
        let isEmpty: Bool
        let outboxCount: Int
        /// The size of all kept clips, in words.
        @OrNull var sizeText: String?
    }

    struct Clip: Codable, Sendable {
        let id: UUID
        /// The identity that the server of the clips has given to it, under which this clip is known later on; its ``id`` until then.
        let ownID: UUID
        let title: String
        @OrNull var author: String?
        let dateText: String
        /// In seconds; 0 if it is unknown.
        let duration: Double
        /// Bars from 0 to 100.
        let waveform: [Int]
        let offline: Offline
        @OrNull var percent: Int?
        @OrNull var offlineText: String?
        /// The address of the sound.
        let audio: String
        /// Set for a clip that waits to be posted, is being posted, or was refused.
        @OrNull var pending: Pending?
    }

    /// The state of a clip's copy on this machine.
    enum Offline: String, Codable, Sendable, CaseIterable { case none, downloading, done, expired, failed }

    enum Intent: String, ScreenIntent {
        case appear, download, cancelDownload, removeDownload, retry, edit, discard, dismissError

        var fields: [String] {
            switch self {
            case .download, .cancelDownload, .removeDownload, .retry, .discard: ["id"]
            case .edit: ["id", "title"]
            case .appear, .dismissError: []
            }
        }
    }

    let model: AudioFeedModel
    private let outbox: OutboxModel
    private let runner: OutboxRunner
    private let tab: String

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        model = AudioFeedModel(hub.services.audio)
        outbox = OutboxModel(hub.services.audio)
        runner = hub.runner
        tab = address.tab
    }

    func state(_ context: ScreenContext) -> State {
        let (progress, language, waiting) = (context.progress(of: model.list), context.language, model.waiting)
        let discarded = model.discarded.map { language.text("outbox.discarded.notice", ["title": $0.title]) }
        let changeError = model.changeError.map { ScreenError(kind: "outbox", message: language.words($0)) }
        let paused = runner.isPaused && !waiting.isEmpty ? language.text("outbox.paused.notice") : nil
        let notices = [progress.notice, paused, discarded].compactMap { $0 }
        return State(
            phase: progress.phase, isLoading: progress.isLoading,
            notice: notices.isEmpty ? nil : notices.joined(separator: " "), error: changeError ?? progress.error,
            clips: model.clips.map { clip($0, waiting, context) },
            isEmpty: model.isEmpty, outboxCount: outbox.items.count,
            sizeText: model.keptBytes > 0 ? context.language.size(UInt64(model.keptBytes)) : nil)
    }

    func refresh() async { await model.refresh() }

    func connectionRestored() async { await model.list.connectionRestored() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let (model, outbox) = (model, outbox)
        switch intent {
        case .appear:
            return {
                async let appearance: Void = model.appear(afterPageLoad: fields.isPageLoad)
                async let posted: Void = model.follow()
                await outbox.follow()
                await posted
                await appearance
            }
        case .download:
            let id = try fields.id()
            return { await model.keep(id) }
        case .cancelDownload:
            let id = try fields.id()
            return { model.cancel(id) }
        case .removeDownload:
            let id = try fields.id()
            return { await model.remove(id) }
        case .retry:
            let id = try fields.id()
            return { await model.retry(id) }
        case .edit:
            let (id, title) = (try fields.id(), try fields.text("title"))
            return { await model.rename(id, to: title) }
        case .discard:
            let id = try fields.id()
            return { await model.discard(id) }
        case .dismissError: return { model.dismissError() }
        }
    }

    private func clip(_ clip: AudioClip, _ waiting: [UUID: PendingItem], _ context: ScreenContext) -> Clip {
        let item = waiting[clip.id]
        let first = item?.heldBackBy.flatMap { id in waiting.values.first { $0.id == id }?.label }
        let (offline, percent, text) = kept(clip, context.language)
        // The row stays the same when the server has given the clip an identity of its own.
        let id = model.identity(of: clip)
        return Clip(
            id: id, ownID: clip.id, title: clip.title, author: clip.author,
            dateText: context.language.relative(clip.createdAt, now: context.now), duration: clip.duration,
            waveform: clip.bars(96), offline: offline, percent: percent,
            offlineText: text, audio: context.sign("/api/screens/audio/clips/\(id.uuidString)?tab=\(tab)"),
            pending: item.map { Pending($0, context, behind: first, isPaused: runner.isPaused) })
    }

    private func kept(_ clip: AudioClip, _ language: Language) -> (Offline, Int?, String?) {
        switch model.kept(clip) {
        case .none: (.none, nil, nil)
        case .downloading(let progress):
            (.downloading, progress.fraction.map { Int($0 * 100) } ?? 0, language.text("audio.downloading"))
        case .kept: (.done, nil, language.text("audio.available"))
        case .expired:
            (
                .expired, nil,
                language.text("audio.download.expired")
            )
        case .failed(let error): (.failed, nil, error.message(in: language))
        }
    }
}

extension AudioClip {
    /// The waveform in at most `most` bars, each from 0 to 100. A bar has the loudest value of its part.
    func bars(_ most: Int) -> [Int] {
        guard waveform.count > most else { return waveform.map { Int(($0 * 100).rounded()) } }
        return (0..<most).map { bar in
            let part = waveform[(bar * waveform.count / most)..<((bar + 1) * waveform.count / most)]
            return Int(((part.max() ?? 0) * 100).rounded())
        }
    }
}
