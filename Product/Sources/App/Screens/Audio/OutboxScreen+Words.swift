import Aquifer
import AquiferWording
import Foundation

/// The texts about the outbox.
extension OutboxScreen {
    func words(_ notice: Outbox.Notice, _ language: Language) -> String {
        switch notice {
        case .counterMended, .numberOccupied: language.text("outbox.counter")
        case .unreadable: language.text("outbox.partial")
        case .attachmentsWithoutItems(let count, let folder):
            language.text("outbox.strays", count: count, ["folder": folder])
        }
    }

    func words(_ failure: Outbox.Failure, _ language: Language) -> String {
        switch failure {
        case .noAnswer: language.text("outbox.noAnswer")
        case .status(let status): language.text("compose.waits.status", ["status": status])
        case .foreign(let status): language.text("outbox.foreign", ["status": status])
        }
    }

    func words(_ refusal: Outbox.Refusal, _ language: Language) -> String {
        switch refusal {
        case .server(let status, let words): language.refusal(status, words)
        case .attachment(let name, _): language.text("outbox.attachment", ["name": name])
        case .unsendable: language.text("outbox.unsendable")
        }
    }

    func words(_ error: OutboxError, _ language: Language) -> String {
        switch error {
        case .noSuchItem(_, .gone): language.text("outbox.gone")
        case .noSuchItem: language.text("outbox.noSuchItem")
        case .notNow: language.text("outbox.notNow")
        case .damaged: language.text("outbox.damaged")
        case .unsendable(let reason): reason
        case .attachment(let name, _): language.text("outbox.attachment", ["name": name])
        case .store(.lost): language.text("outbox.lost")
        case .store(.full): language.text("outbox.full")
        case .store: language.text("outbox.failed.store")
        }
    }
}

extension Language {
    /// A server's refusal of a post, with its status and its own words.
    func refusal(_ status: Int, _ words: String) -> String {
        text("outbox.refused") + " (\(status))" + (words.isEmpty ? "." : ": \(words)")
    }
}
