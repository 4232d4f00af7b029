import Aquifer
import AudioFeed
import Foundation

/// The clips as the page draws them.
@MainActor
final class AudioScreen: Screen {
    let model: AudioFeedModel
    private let outbox: OutboxModel
    private let tab: String

    init(_ service: AudioFeedService, tab: String) {
        model = AudioFeedModel(service)
        outbox = OutboxModel(service.outbox)
        self.tab = tab
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let clips = model.clips.map { clip -> JSONText in
            let (offline, percent, text) = kept(clip, language)
            return .object([
                ("id", .string(clip.id.uuidString)), ("title", .string(clip.title)), ("author", .string(clip.author)),
                ("dateText", .string(language.relative(clip.createdAt, now: context.now))),
                ("duration", .raw("\(clip.duration)")), ("durationText", .string(clip.durationText)),
                ("waveform", .array(clip.bars(96).map { .int($0) })),
                ("offline", .string(offline)), ("percent", percent.map { .int($0) } ?? .null),
                ("offlineText", .string(text)),
                ("audio", .string(context.sign("/api/screens/audio/clips/\(clip.id.uuidString)?tab=\(tab)"))),
            ])
        }
        return .object(
            [("title", .string(language.pick("Audio", "Áudio")))] + context.fields(of: model.list) + [
                ("clips", .array(clips)), ("isEmpty", .bool(model.isEmpty)),
                ("outboxCount", .int(outbox.items.count)),
                ("sizeText", model.keptBytes > 0 ? .string(language.size(UInt64(model.keptBytes))) : .null),
            ])
    }

    func refresh() async { await model.refresh() }

    func action(for intent: Intent) -> ScreenAction? {
        let (model, outbox) = (model, outbox)
        return switch intent.name {
        case "appear":
            {
                async let appearance: Void = model.appear(afterPageLoad: intent.isPageLoad)
                async let posted: Void = model.follow()
                await outbox.follow()
                await posted
                await appearance
            }
        case "download": intent.withID { await model.keep($0) }
        case "cancelDownload": intent.withID { model.cancel($0) }
        case "removeDownload": intent.withID { await model.remove($0) }
        case "dismissError": { model.list.dismissError() }
        default: nil
        }
    }

    private func kept(_ clip: AudioClip, _ language: Language) -> (String, Int?, String?) {
        switch model.kept(clip) {
        case .none: ("none", nil, nil)
        case .downloading(let progress):
            ("downloading", progress.fraction.map { Int($0 * 100) } ?? 0, language.pick("Downloading…", "Baixando…"))
        case .kept: ("done", nil, language.pick("Available offline", "Disponível sem conexão"))
        case .expired:
            (
                "expired", nil,
                language.pick(
                    "Kept, but not confirmed for seven days: it plays after the next download.",
                    "Guardado, mas sem confirmação há sete dias: toca depois do próximo download.")
            )
        case .failed(let error): ("failed", nil, error.message(in: language))
        }
    }
}

extension AudioClip {
    /// The duration of the clip: `0:12`, `1:02:03`; `–:––` when the remote does not know it.
    public var durationText: String {
        guard duration > 0, duration < 360_000 else { return "–:––" }
        let seconds = Int(duration.rounded())
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }

    /// The waveform in at most `most` bars, each from 0 to 100. A bar has the loudest value of its part.
    func bars(_ most: Int) -> [Int] {
        guard waveform.count > most else { return waveform.map { Int(($0 * 100).rounded()) } }
        return (0..<most).map { bar in
            let part = waveform[(bar * waveform.count / most)..<((bar + 1) * waveform.count / most)]
            return Int(((part.max() ?? 0) * 100).rounded())
        }
    }
}
