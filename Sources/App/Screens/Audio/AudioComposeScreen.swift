import Aquifer
import AudioFeed
import Foundation

/// The form of a new clip as its page draws it.
@MainActor
final class AudioComposeScreen: Screen {
    static let name = "audio-compose"

    struct State: ScreenState {
        let phase: Phase
        @OrNull var file: File?
        @OrNull var fileError: String?
        /// The clip's title, as it is typed.
        let title: String
        @OrNull var titleError: String?
        let canSend: Bool
        @OrNull var percent: Int?
        @OrNull var sentBytesText: String?
        @OrNull var message: String?
        @OrNull var sent: Sent?
        @OrNull var error: ScreenError?
    }

    enum Phase: String, Codable, Sendable, CaseIterable { case empty, ready, sending, sent, queued, failed }

    struct File: Codable, Sendable {
        let name: String
        let sizeText: String
    }

    /// The clip that was posted.
    struct Sent: Codable, Sendable {
        let id: UUID
        let title: String
    }

    enum Intent: String, ScreenIntent {
        case appear, dismissError, title, send, retry, later, cancel, again, removeFile
    }

    let model: AudioComposeModel

    convenience init(_ address: ScreenAddress, in hub: ScreenHub) {
        self.init(hub.services.audio, uploads: hub.services.uploads)
    }

    init(_ service: AudioFeedService, uploads: Uploads) {
        model = AudioComposeModel(service) { uploads.remove($0) }
    }

    func state(_ context: ScreenContext) -> State {
        let language = context.language
        let (phase, percent, sentText) = progress(language)
        var sent: Sent?
        if case .sent(let clip) = model.phase { sent = Sent(id: clip.id, title: clip.title) }
        return State(
            phase: phase,
            file: model.file.map { File(name: $0.name, sizeText: language.size($0.size)) },
            fileError: model.fileError?.message(in: language), title: model.title,
            titleError: model.titleError?.message(in: language), canSend: model.canSend, percent: percent,
            sentBytesText: sentText, message: message(language), sent: sent, error: nil)
    }

    /// Does nothing: the form loads nothing, and keeps the text typed.
    func refresh() async {}

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let model = model
        switch intent {
        case .appear, .dismissError: return {}
        case .title:
            let text = try fields.text("text")
            return { model.type(text) }
        case .send, .retry: return { await model.send() }
        case .later: return { await model.sendLater() }
        case .cancel: return { model.cancel() }
        case .again: return { model.again() }
        case .removeFile: return { model.removeFile() }
        }
    }

    private func progress(_ language: Language) -> (Phase, Int?, String?) {
        switch model.phase {
        case .editing: (model.file == nil ? .empty : .ready, nil, nil)
        case .sending(let sent, let total):
            (
                .sending, sent.percent(of: total),
                language.pick(
                    "\(language.size(sent)) of \(language.size(total))",
                    "\(language.size(sent)) de \(language.size(total))")
            )
        case .sent: (.sent, nil, nil)
        case .queued, .waiting, .setAside, .cancelled(.some, _): (.queued, nil, nil)
        case .cancelled(nil, _): (model.file == nil ? .empty : .ready, nil, nil)
        case .failed: (.failed, nil, nil)
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
