import Aquifer
import AudioFeed
import Foundation

/// The clips as the page draws them.
@MainActor
final class AudioScreen: Screen {
    let model: AudioFeedModel
    private let outbox: OutboxModel

    init(_ service: AudioFeedService) {
        model = AudioFeedModel(service)
        outbox = OutboxModel(service.outbox)
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
                ("offlineText", .string(text)), ("audio", .string("/api/screens/audio/clips/\(clip.id.uuidString)")),
            ])
        }
        return .object(
            [("title", .string(language.pick("Audio", "Áudio")))] + context.fields(of: model.list) + [
                ("clips", .array(clips)), ("isEmpty", .bool(model.isEmpty)),
                ("outboxCount", .int(outbox.items.count)),
                ("sizeText", model.keptBytes > 0 ? .string(language.size(UInt64(model.keptBytes))) : .null),
            ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let (model, outbox) = (model, outbox)
        return switch intent.name {
        case "appear":
            {
                async let appearance: Void = model.appear()
                await outbox.follow()
                await appearance
            }
        case "refresh": { await model.refresh() }
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
        case .failed(let error): ("failed", nil, error.message(in: language))
        }
    }
}

/// The form of a new clip as the page draws it.
@MainActor
final class AudioComposeScreen: Screen {
    let model: AudioComposeModel

    init(_ service: AudioFeedService, uploads: Uploads) {
        model = AudioComposeModel(service) { uploads.remove($0) }
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let (phase, percent, sentText) = progress(language)
        var sent = JSONText.null
        if case .sent(let clip) = model.phase {
            sent = .object([("id", .string(clip.id.uuidString)), ("title", .string(clip.title))])
        }
        let file = model.file.map { file in
            JSONText.object([("name", .string(file.name)), ("sizeText", .string(language.size(file.size)))])
        }
        return .object([
            ("screenTitle", .string(language.pick("New clip", "Novo áudio"))),
            ("phase", .string(phase)), ("file", file ?? .null),
            ("fileError", .string(model.fileError?.message(in: language))),
            ("title", .string(model.title)), ("titleError", .string(model.titleError?.message(in: language))),
            ("canSend", .bool(model.canSend)), ("percent", percent.map { .int($0) } ?? .null),
            ("sentBytesText", .string(sentText)), ("message", .string(message(language))), ("sent", sent),
            ("error", .null),
        ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear", "refresh", "dismissError": {}
        case "title": { model.type(intent["text"]) }
        case "send", "retry": { await model.send() }
        case "later": { await model.sendLater() }
        case "cancel": { model.cancel() }
        case "again": { model.again() }
        case "removeFile": { model.removeFile() }
        default: nil
        }
    }

    private func progress(_ language: Language) -> (String, Int?, String?) {
        switch model.phase {
        case .editing: (model.file == nil ? "empty" : "ready", nil, nil)
        case .sending(let sent, let total):
            (
                "sending", total == 0 ? 0 : Int(sent * 100 / total),
                language.pick(
                    "\(language.size(sent)) of \(language.size(total))",
                    "\(language.size(sent)) de \(language.size(total))")
            )
        case .sent: ("sent", nil, nil)
        case .queued: ("queued", nil, nil)
        case .failed, .notQueued: ("failed", nil, nil)
        }
    }

    private func message(_ language: Language) -> String? {
        switch model.phase {
        case .editing, .sending, .sent, .queued: nil
        case .failed(.connectivity):
            language.pick(
                "There is no connection, or it broke off. Try again, or send it later: it is posted once either way.",
                "Não há conexão, ou ela caiu. Tente de novo ou envie depois: o áudio é publicado uma vez só.")
        case .failed:
            language.pick(
                "The server didn’t take it. Try again in a moment.",
                "O servidor não aceitou. Tente de novo em instantes.")
        case .notQueued(.store(.full)):
            language.pick("There is no room left to keep it.", "Não há espaço para guardar.")
        case .notQueued:
            language.pick("It couldn’t be kept for later.", "Não deu para guardar para depois.")
        }
    }
}

/// What waits to be posted, as the page draws it.
@MainActor
final class OutboxScreen: Screen {
    let model: OutboxModel
    private let runner: OutboxRunner

    init(_ outbox: Outbox, _ runner: OutboxRunner) {
        model = OutboxModel(outbox)
        self.runner = runner
    }

    func state(_ context: ScreenContext) -> JSONText {
        let language = context.language
        let rows = model.items.map { row($0, context) }
        func count(_ state: String) -> JSONText { .int(rows.count { $0.state == state }) }
        return .object([
            ("title", .string(language.pick("Outbox", "Caixa de saída"))),
            ("phase", .string(model.isLoaded ? "loaded" : "loading")),
            ("isLoading", .bool(!model.isLoaded)),
            ("items", .array(rows.map(\.json))),
            ("isPaused", .bool(runner.isPaused)),
            ("isDraining", .bool(rows.contains { $0.state == "sending" })),
            ("isEmpty", .bool(model.isLoaded && rows.isEmpty)),
            (
                "counts",
                .object([("waiting", count("waiting")), ("sending", count("sending")), ("failed", count("failed"))])
            ),
            (
                "notice",
                runner.isPaused
                    ? .string(language.pick("Nothing is sent while paused.", "Nada é enviado durante a pausa.")) : .null
            ),
            (
                "error",
                model.error.map { .object([("kind", .string("outbox")), ("message", .string(words($0, language)))]) }
                    ?? .null
            ),
        ])
    }

    func action(for intent: Intent) -> ScreenAction? {
        let (model, runner) = (model, runner)
        func withItem(_ act: @escaping @MainActor @Sendable (Outbox.ID) async -> Void) -> ScreenAction? {
            guard let id = Outbox.ID(intent["id"]) else { return nil }
            return { await act(id) }
        }
        return switch intent.name {
        case "appear": { await model.follow() }
        case "refresh": { await model.look() }
        case "send":
            {
                runner.resume()
                await model.sendAll()
            }
        case "retry": withItem { await model.retry($0) }
        case "discard", "cancel": withItem { await model.discard($0) }
        case "edit": withItem { await model.rename($0, to: intent["title"]) }
        case "pause": { runner.pause() }
        case "resume": { runner.resume() }
        case "dismissError": { model.dismissError() }
        default: nil
        }
    }

    private func row(_ item: Outbox.Item, _ context: ScreenContext) -> (state: String, json: JSONText) {
        let language = context.language
        var (state, percent, when, reason) = ("waiting", Int?.none, String?.none, String?.none)
        var canEdit = false
        switch item.state {
        case .waiting, .sent, .gone: break
        case .retrying(let failure, let at):
            let time =
                at.timeIntervalSince(context.now) < 5
                ? language.pick("in a moment", "em instantes") : language.relative(at, now: context.now)
            when = language.pick("Tries again \(time)", "Tenta de novo \(time)")
            reason = words(failure, language)
        case .sending(let sent):
            state = "sending"
            percent = item.length == 0 ? 0 : Int(min(sent, item.length) * 100 / item.length)
        case .sendingElsewhere: state = "sending"
        case .paused: state = "paused"
        case .refused(let refusal):
            state = "failed"
            canEdit = true
            reason = words(refusal, language)
        case .damaged:
            state = "failed"
            reason = language.pick(
                "What was kept of it can’t be read. It can only be discarded.",
                "O que foi guardado não pode ser lido. Só dá para descartar.")
        }
        let json = JSONText.object([
            ("id", .string("\(item.id)")),
            ("title", .string(item.label.isEmpty ? language.pick("Unnamed", "Sem título") : item.label)),
            ("detail", .string(language.size(item.length))), ("state", .string(state)),
            ("percent", percent.map { .int($0) } ?? .null), ("attempts", .int(item.attempts)),
            ("whenText", .string(when)), ("reason", .string(reason)), ("canEdit", .bool(canEdit)),
        ])
        return (state, json)
    }

    private func words(_ failure: Outbox.Failure, _ language: Language) -> String {
        switch failure {
        case .noAnswer: language.pick("There was no answer.", "Não houve resposta.")
        case .status(let status):
            language.pick("The server was not ready (\(status)).", "O servidor não estava pronto (\(status)).")
        }
    }

    private func words(_ refusal: Outbox.Refusal, _ language: Language) -> String {
        switch refusal {
        case .server(let status, let words):
            language.pick("The server refused it", "O servidor recusou") + " (\(status))"
                + (words.isEmpty ? "." : ": \(words)")
        case .attachment(let name, _):
            language.pick("\(name) is gone or was changed.", "\(name) sumiu ou foi alterado.")
        case .unsendable: language.pick("It can’t be sent.", "Não pode ser enviado.")
        }
    }

    private func words(_ error: OutboxError, _ language: Language) -> String {
        switch error {
        case .noSuchItem:
            language.pick("It was sent or discarded meanwhile.", "Já foi enviado ou descartado.")
        case .notNow: language.pick("This can’t be done now.", "Isso não dá agora.")
        case .unsendable(let reason): reason
        case .attachment(let name, _):
            language.pick("\(name) is gone or was changed.", "\(name) sumiu ou foi alterado.")
        case .store(.full): language.pick("There is no room left.", "Não há espaço.")
        case .store:
            language.pick("The outbox couldn’t be read or written.", "Não deu para ler ou gravar a caixa de saída.")
        }
    }
}

extension AudioClip {
    /// How long it plays: `0:12`, `1:02:03`; `–:––` when the remote does not know.
    public var durationText: String {
        guard duration > 0, duration < 360_000 else { return "–:––" }
        let seconds = Int(duration.rounded())
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        return hours > 0
            ? "\(hours):\(two(minutes)):\(two(seconds % 60))" : "\(minutes):\(two(seconds % 60))"
    }

    /// The waveform in at most so many bars, each 0 … 100: the loudest of what a bar stands for.
    func bars(_ most: Int) -> [Int] {
        guard waveform.count > most else { return waveform.map { Int(($0 * 100).rounded()) } }
        return (0..<most).map { bar in
            let part = waveform[(bar * waveform.count / most)..<((bar + 1) * waveform.count / most)]
            return Int(((part.max() ?? 0) * 100).rounded())
        }
    }
}

extension Language {
    /// A number of bytes in words: `1,2 MB`.
    func size(_ bytes: UInt64) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(bytes), 0)
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        let digits = unit == 0 || value >= 99.95 ? "\(Int(value.rounded()))" : "\((value * 10).rounded() / 10)"
        return (self == .english ? digits : digits.replacing(".", with: ",")) + "\u{a0}" + units[unit]
    }
}
