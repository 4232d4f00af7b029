import Aquifer
import AudioFeed
import Foundation

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
