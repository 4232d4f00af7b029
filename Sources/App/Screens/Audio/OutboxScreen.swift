import Aquifer
import AudioFeed
import Foundation

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
