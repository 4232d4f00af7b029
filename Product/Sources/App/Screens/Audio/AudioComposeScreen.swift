import Aquifer
import AquiferAudioFeed
import AquiferWording
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
        case appear, title, send, retry, later, cancel, again, removeFile

        var fields: [String] {
            switch self {
            case .title: ["text"]
            case .send, .retry, .later: ["title?", "author?"]
            default: []
            }
        }
    }

    let model: AudioComposeModel
    /// Keeps the form for other replicas; `nil` if there are none.
    let shelf: AudioDraftShelf?
    private var following: StoreObservation?

    convenience init(_ address: ScreenAddress, in hub: ScreenHub) {
        let services = hub.services
        let shelf = services.groundwork.drafts.map { store in
            AudioDraftShelf(
                DraftFiles(store: store, uploads: services.uploads, now: services.configuration.now), tab: address.tab)
        }
        self.init(services.audio, uploads: services.uploads, shelf: shelf)
    }

    init(_ service: AudioFeedService, uploads: Uploads, shelf: AudioDraftShelf? = nil) {
        model = AudioComposeModel(service) { uploads.remove($0) }
        self.shelf = shelf
        // Behind a proxy, an intent may reach another replica than the one that streams the states.
        following = shelf?.observe { [weak self] in Task { await self?.prepare() } }
    }

    isolated deinit { following?.cancel() }

    func prepare() async {
        // The form stays as it is until its clip has been sent, whatever another replica does.
        guard !model.isSending else { return }
        if let form = await shelf?.found() { model.restore(form) }
    }

    /// Keeps the form for other replicas, unless its clip is being sent: nothing changes the form then.
    func save() async { if !model.isSending { await shelf?.save(model.form) } }

    /// Posts the clip, in a way that another replica goes on with under the same key. It knows meanwhile that the clip is being sent, and
    /// what it does to the form then stays. What it has done before, if the store stood still in between, is shown, and nothing is posted.
    private func post(_ send: @MainActor (AudioComposeModel, AudioComposeModel.Keeping) async -> Void) async {
        var isTaken = false
        await send(model) { [shelf] form throws(StoreError) in
            isTaken = try await shelf?.begin(form) == false
            return !isTaken
        }
        if isTaken { return await prepare() }
        await shelf?.save(model.form, unlessChanged: true)
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
            sentBytesText: sentText, message: message(language), sent: sent)
    }

    /// Does nothing: the form loads nothing, and keeps the text typed.
    func refresh() async {}

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let model = model
        switch intent {
        case .appear: return {}
        case .title:
            let text = try fields.text("text")
            return {
                model.type(text)
                await self.save()
            }
        case .send, .retry:
            let author = fields["author"]
            try fields.check("title", is: model.title)
            return {
                if let author { model.sign(author) }
                await self.post { await $0.send(keeping: $1) }
            }
        case .later:
            let author = fields["author"]
            try fields.check("title", is: model.title)
            return {
                if let author { model.sign(author) }
                await self.post { await $0.sendLater(keeping: $1) }
            }
        case .cancel: return { model.cancel() }
        case .again:
            return {
                model.again()
                await self.save()
            }
        case .removeFile:
            return {
                model.removeFile()
                await self.save()
            }
        }
    }

    private func progress(_ language: Language) -> (Phase, Int?, String?) {
        switch model.phase {
        case .editing: (model.file == nil ? .empty : .ready, nil, nil)
        case .sending(let sent, let total):
            (
                .sending, sent.percent(of: total),
                language.text("compose.sent.bytes", ["sent": language.size(sent), "total": language.size(total)])
            )
        case .sent: (.sent, nil, nil)
        case .queued, .waiting, .setAside, .cancelled(.some, _): (.queued, nil, nil)
        case .cancelled(nil, _): (model.file == nil ? .empty : .ready, nil, nil)
        case .failed, .inDoubt: (.failed, nil, nil)
        }
    }

    private func message(_ language: Language) -> String? {
        switch model.phase {
        case .editing, .sending, .sent, .queued: nil
        case .waiting(_, let failure): words(failure, language)
        case .setAside(_, let refusal):
            language.text("compose.setAside")
                + words(.refused(refusal), language)
        case .cancelled(.some, _): language.text("compose.cancelled.paused")
        case .cancelled(nil, mayHaveArrived: true): language.text("compose.cancelled.unknown")
        case .cancelled(nil, mayHaveArrived: false): language.text("compose.cancelled.notPosted")
        case .failed(let error): words(error, language)
        case .inDoubt: language.text("compose.doubt")
        }
    }

    private func words(_ failure: Outbox.Failure, _ language: Language) -> String {
        let what =
            switch failure {
            case .noAnswer: language.text("compose.waits.noAnswer")
            case .status(let status): language.text("compose.waits.status", ["status": status])
            case .foreign: language.text("compose.waits.foreign")
            case .unreadable: language.text("outbox.unreadableNow")
            }
        return what
            + language.text("compose.waits.outbox")
    }

    private func words(_ error: ClipPostError, _ language: Language) -> String {
        switch error {
        case .noConnectivity: language.text("compose.noConnection")
        case .refused(.server(let status, let words)): language.refusal(status, words)
        case .refused(.attachment), .notKept(.attachment): language.text("compose.attachment")
        case .refused(.unsendable), .notKept(.unsendable): language.text("outbox.unsendable")
        case .notKept(.store(.full)): language.text("compose.full")
        case .notKept: language.text("compose.notKept")
        }
    }
}
