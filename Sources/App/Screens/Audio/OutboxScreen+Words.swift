import Aquifer
import Foundation

/// The texts about the outbox.
extension OutboxScreen {
    func words(_ notice: Outbox.Notice, _ language: Language) -> String {
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

    func words(_ failure: Outbox.Failure, _ language: Language) -> String {
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

    func words(_ refusal: Outbox.Refusal, _ language: Language) -> String {
        switch refusal {
        case .server(let status, let words):
            language.pick("The server refused it", "O servidor recusou") + " (\(status))"
                + (words.isEmpty ? "." : ": \(words)")
        case .attachment(let name, _):
            language.pick("\(name) is gone or was changed.", "\(name) sumiu ou foi alterado.")
        case .unsendable: language.pick("It can’t be sent.", "Não pode ser enviado.")
        }
    }

    func words(_ error: OutboxError, _ language: Language) -> String {
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
