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

    /// Does nothing: the form loads nothing, and keeps the text typed.
    func refresh() async {}

    func action(for intent: Intent) -> ScreenAction? {
        let model = model
        return switch intent.name {
        case "appear", "dismissError": {}
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
                "sending", sent.percent(of: total),
                language.pick(
                    "\(language.size(sent)) of \(language.size(total))",
                    "\(language.size(sent)) de \(language.size(total))")
            )
        case .sent: ("sent", nil, nil)
        case .queued, .waiting, .setAside, .cancelled(.some, _): ("queued", nil, nil)
        case .cancelled(nil, _): (model.file == nil ? "empty" : "ready", nil, nil)
        case .failed: ("failed", nil, nil)
        }
    }

    private func message(_ language: Language) -> String? {
        switch model.phase {
        case .editing, .sending, .sent, .queued: nil
        case .waiting(_, let failure): words(failure, language)
        case .setAside(_, let refusal):
            language.pick(
                "It is in the outbox. Try again there and it is posted once, or discard it. ",
                "Está na caixa de saída. Tente de novo por lá e ele é publicado uma vez só, ou descarte. ")
                + words(.refused(refusal), language)
        case .cancelled(.some, _):
            language.pick(
                "Cancelled, but it may have arrived. It is in the outbox, paused. Try again there and it is posted once,"
                    + " or discard it.",
                "Cancelado, mas pode ter chegado. Está na caixa de saída, em pausa. Tente de novo por lá e ele é"
                    + " publicado uma vez só, ou descarte.")
        case .cancelled(nil, mayHaveArrived: true):
            language.pick("Cancelled, but it may have arrived.", "Cancelado, mas pode ter chegado.")
        case .cancelled(nil, mayHaveArrived: false):
            language.pick("Cancelled. It was not posted.", "Cancelado. Não foi publicado.")
        case .failed(let error): words(error, language)
        }
    }

    private func words(_ failure: Outbox.Failure, _ language: Language) -> String {
        let what =
            switch failure {
            case .noAnswer:
                language.pick(
                    "The connection broke off, so nobody knows whether it arrived.",
                    "A conexão caiu, e não dá para saber se ele chegou.")
            case .status(let status):
                language.pick("The server was not ready (\(status)).", "O servidor não estava pronto (\(status)).")
            case .foreign:
                language.pick(
                    "Something between here and the server answered, perhaps a sign-in page of the network.",
                    "Algo entre aqui e o servidor respondeu, talvez uma página de login da rede.")
            }
        return what
            + language.pick(
                " It waits in the outbox and is posted once.", " Ele espera na caixa de saída e é publicado uma vez só."
            )
    }

    private func words(_ error: ClipPostError, _ language: Language) -> String {
        switch error {
        case .noConnectivity:
            language.pick(
                "There is no connection, and nothing was sent. Try again, or send it later.",
                "Não há conexão, e nada foi enviado. Tente de novo ou envie depois.")
        case .refused(.server(let status, let words)):
            language.pick("The server refused it", "O servidor recusou") + " (\(status))"
                + (words.isEmpty ? "." : ": \(words)")
        case .refused(.attachment), .notKept(.attachment):
            language.pick("The file is gone or was changed.", "O arquivo sumiu ou foi alterado.")
        case .refused(.unsendable), .notKept(.unsendable):
            language.pick("It can’t be sent.", "Não pode ser enviado.")
        case .notKept(.store(.full)):
            language.pick(
                "There is no room left to keep it, so it was not sent.",
                "Não há espaço para guardar, e nada foi enviado.")
        case .notKept:
            language.pick(
                "It couldn’t be kept in the outbox, so it was not sent.",
                "Não deu para guardar na caixa de saída, e nada foi enviado.")
        }
    }
}
