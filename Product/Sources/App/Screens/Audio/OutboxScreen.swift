import Aquifer
import AquiferAudioFeed
import AquiferWording
import Foundation

/// The items that wait to be posted, as their page draws them.
@MainActor
final class OutboxScreen: Screen {
    static let name = "outbox"

    struct State: ScreenState {
        let items: [Item]
        let isPaused: Bool
        let isDraining: Bool
        let isEmpty: Bool
        @OrNull var notice: String?
        /// The items that were sent while the page was open.
        let sent: [String]
        @OrNull var error: ScreenError?
    }

    struct Item: Codable, Sendable {
        enum State: String, Codable, Sendable, CaseIterable { case waiting, sending, paused, failed }
        let id: String
        let title: String
        let detail: String
        var state = State.waiting
        @OrNull var percent: Int?
        let attempts: Int
        @OrNull var whenText: String?
        @OrNull var reason: String?
        var canEdit = false
        var canRetry = true
    }

    enum Intent: String, ScreenIntent {
        case appear, send, retry, discard, cancel, edit, pause, resume, dismissError

        var fields: [String] {
            switch self {
            case .retry, .discard, .cancel: ["id"]
            case .edit: ["id", "title"]
            default: []
            }
        }
    }

    let model: OutboxModel
    private let runner: OutboxRunner

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        model = OutboxModel(hub.services.audio)
        runner = hub.runner
    }

    func state(_ context: ScreenContext) -> State {
        let language = context.language
        let items = model.items.map { item($0, context) }
        return State(
            items: items, isPaused: runner.isPaused,
            isDraining: items.contains { $0.state == .sending },
            isEmpty: model.isLoaded && model.isReadable && items.isEmpty,
            notice: notice(language), sent: model.sent.map { "\($0)" },
            error: model.error.map { ScreenError(kind: "outbox", message: language.words($0)) })
    }

    func refresh() async { await model.look() }

    func action(for intent: Intent, _ fields: IntentFields) throws(IntentError) -> ScreenAction {
        let (model, runner) = (model, runner)
        switch intent {
        case .appear: return { await model.follow() }
        case .send:
            return {
                await runner.resume()
                await model.sendAll()
            }
        case .retry:
            let id = try item(fields)
            return { await model.retry(id) }
        case .discard, .cancel:
            let id = try item(fields)
            return { await model.discard(id) }
        case .edit:
            let (id, title) = (try item(fields), try fields.text("title"))
            return { await model.rename(id, to: title) }
        case .pause: return { await runner.pause() }
        case .resume: return { await runner.resume() }
        case .dismissError: return { model.dismissError() }
        }
    }

    private func item(_ fields: IntentFields) throws(IntentError) -> Outbox.ID {
        try fields.value("id") { Outbox.ID($0) }
    }

    private func item(_ item: Outbox.Item, _ context: ScreenContext) -> Item {
        let language = context.language
        var line = Item(
            id: "\(item.id)", title: title(item, language), detail: language.size(item.length), percent: nil,
            attempts: item.attempts, whenText: nil, reason: nil)
        switch item.state {
        case .waiting:
            let first = model.items.first { $0.id < item.id && $0.group == item.group && $0.state.isRefusal }
            if let first, item.group != nil { line.reason = language.behind(title(first, language)) }
        case .sent, .gone: break
        case .retrying(let failure, let at):
            // While paused it does not.
            if !runner.isPaused { line.whenText = language.nextTry(at, now: context.now) }
            line.reason = language.words(failure)
        case .sending(let sent):
            line.state = .sending
            line.percent = sent.percent(of: item.length)
        case .sendingElsewhere: line.state = .sending
        case .paused: line.state = .paused
        case .refused(let refusal):
            line.state = .failed
            line.canEdit = !refusal.mayHaveArrived
            line.reason = language.words(refusal)
        case .damaged:
            line.state = .failed
            line.canRetry = false
            line.reason = language.text("outbox.unreadable")
        }
        return line
    }

    private func notice(_ language: Language) -> String? {
        var words: [String] = []
        if runner.isPaused {
            words.append(language.text(runner.isUnsaved ? "outbox.paused.unsaved" : "outbox.paused.notice"))
        }
        for notice in model.notices.map({ language.words($0) }) where !words.contains(notice) {
            words.append(notice)
        }
        if let item = model.discarded {
            let title = self.title(item, language)
            words.append(
                language.text("outbox.discarded.notice", ["title": title]))
        }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private func title(_ item: Outbox.Item, _ language: Language) -> String {
        item.label.isEmpty ? language.text("outbox.unnamed") : item.label
    }
}

extension Outbox.State {
    /// It was refused, and holds back what follows it.
    fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }
}
