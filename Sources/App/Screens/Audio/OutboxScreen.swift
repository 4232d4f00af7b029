import Aquifer
import AudioFeed
import Foundation

/// The items that wait to be posted, as the page draws them.
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
            ("isEmpty", .bool(model.isLoaded && model.isReadable && rows.isEmpty)),
            (
                "counts",
                .object([("waiting", count("waiting")), ("sending", count("sending")), ("failed", count("failed"))])
            ),
            ("notice", .string(notice(language))), ("sent", .array(model.sent.map { .string("\($0)") })),
            (
                "error",
                model.error.map { .object([("kind", .string("outbox")), ("message", .string(words($0, language)))]) }
                    ?? .null
            ),
        ])
    }

    func refresh() async { await model.look() }

    func action(for intent: Intent) -> ScreenAction? {
        let (model, runner) = (model, runner)
        func withItem(_ act: @escaping @MainActor @Sendable (Outbox.ID) async -> Void) -> ScreenAction? {
            guard let id = Outbox.ID(intent["id"]) else { return nil }
            return { await act(id) }
        }
        return switch intent.name {
        case "appear": { await model.follow() }
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

    private func notice(_ language: Language) -> String? {
        var words: [String] = []
        if runner.isPaused {
            words.append(language.pick("Nothing is sent while paused.", "Nada é enviado durante a pausa."))
        }
        for notice in model.notices.map({ self.words($0, language) }) where !words.contains(notice) {
            words.append(notice)
        }
        if let item = model.discarded {
            let title = self.title(item, language)
            words.append(
                language.pick(
                    "“\(title)” was discarded, but it may have arrived all the same.",
                    "“\(title)” foi descartado, mas pode ter chegado assim mesmo."))
        }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    private func title(_ item: Outbox.Item, _ language: Language) -> String {
        item.label.isEmpty ? language.pick("Unnamed", "Sem título") : item.label
    }

    private func words(_ notice: Outbox.Notice, _ language: Language) -> String {
        switch notice {
        case .counterMended, .numberOccupied:
            language.pick(
                "The outbox’s counter was damaged and has been set anew. Nothing in the outbox was overwritten. Check the"
                    + " disk.",
                "O contador da caixa de saída estava danificado e foi refeito. Nada na caixa de saída foi sobrescrito."
                    + " Verifique o disco.")
        case .unreadable:
            language.pick(
                "A part of the outbox can’t be read, so the list may not be complete. Nothing was deleted. Check the disk.",
                "Não dá para ler uma parte da caixa de saída, e a lista pode estar incompleta. Nada foi apagado. Verifique"
                    + " o disco.")
        case .attachmentsWithoutItems(1, let folder):
            language.pick(
                "1 file was queued and is not in the outbox any more. Nobody knows whether it was sent. It is in"
                    + " \(folder): post it again if it was not, then delete it there.",
                "1 arquivo estava na fila e não está mais na caixa de saída. Ninguém sabe se foi enviado. Ele está em"
                    + " \(folder): publique de novo se não foi, e depois apague de lá.")
        case .attachmentsWithoutItems(let count, let folder):
            language.pick(
                "\(count) files were queued and are not in the outbox any more. Nobody knows whether they were sent. They"
                    + " are in \(folder): post again what was not, then delete them there.",
                "\(count) arquivos estavam na fila e não estão mais na caixa de saída. Ninguém sabe se foram enviados."
                    + " Eles estão em \(folder): publique de novo o que não foi, e depois apague de lá.")
        }
    }

    private func row(_ item: Outbox.Item, _ context: ScreenContext) -> (state: String, json: JSONText) {
        let language = context.language
        var (state, percent, when, reason) = ("waiting", Int?.none, String?.none, String?.none)
        var (canEdit, canRetry) = (false, true)
        switch item.state {
        case .waiting, .sent, .gone: break
        case .retrying(let failure, let at):
            let time =
                at.timeIntervalSince(context.now) < 5
                ? language.pick("in a moment", "em instantes") : language.relative(at, now: context.now)
            // While paused it does not.
            if !runner.isPaused { when = language.pick("Tries again \(time)", "Tenta de novo \(time)") }
            reason = words(failure, language)
        case .sending(let sent):
            state = "sending"
            percent = sent.percent(of: item.length)
        case .sendingElsewhere: state = "sending"
        case .paused: state = "paused"
        case .refused(let refusal):
            state = "failed"
            canEdit = !refusal.mayHaveArrived
            reason = words(refusal, language)
        case .damaged:
            state = "failed"
            canRetry = false
            reason = language.pick(
                "What was kept of it can’t be read. It can only be discarded.",
                "O que foi guardado não pode ser lido. Só dá para descartar.")
        }
        let json = JSONText.object([
            ("id", .string("\(item.id)")),
            ("title", .string(title(item, language))),
            ("detail", .string(language.size(item.length))), ("state", .string(state)),
            ("percent", percent.map { .int($0) } ?? .null), ("attempts", .int(item.attempts)),
            ("whenText", .string(when)), ("reason", .string(reason)), ("canEdit", .bool(canEdit)),
            ("canRetry", .bool(canRetry)),
        ])
        return (state, json)
    }

    private func words(_ failure: Outbox.Failure, _ language: Language) -> String {
        switch failure {
        case .noAnswer: language.pick("There was no answer.", "Não houve resposta.")
        case .status(let status):
            language.pick("The server was not ready (\(status)).", "O servidor não estava pronto (\(status)).")
        case .foreign(let status):
            language.pick(
                "Something between here and the server answered (\(status)), perhaps a sign-in page of the network.",
                "Algo entre aqui e o servidor respondeu (\(status)), talvez uma página de login da rede.")
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
        case .noSuchItem(_, .gone):
            language.pick("It was sent or discarded meanwhile.", "Já foi enviado ou descartado.")
        case .noSuchItem:
            language.pick("There is no such item in the outbox.", "Não há esse item na caixa de saída.")
        case .notNow: language.pick("This can’t be done now.", "Isso não dá agora.")
        case .damaged:
            language.pick("It is damaged, and can only be discarded.", "Está danificado, e só dá para descartar.")
        case .unsendable(let reason): reason
        case .attachment(let name, _):
            language.pick("\(name) is gone or was changed.", "\(name) sumiu ou foi alterado.")
        case .store(.lost):
            language.pick(
                "What was waiting here is gone from this computer: the outbox’s file is missing or empty. Put the data"
                    + " folder back from a backup.",
                "O que esperava aqui sumiu deste computador: o arquivo da caixa de saída falta ou está vazio. Restaure a"
                    + " pasta de dados de um backup.")
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
