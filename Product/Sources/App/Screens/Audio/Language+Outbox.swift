import Aquifer
import AquiferWording
import Foundation

/// The texts about the outbox.
extension Language {
    func words(_ notice: Outbox.Notice) -> String {
        switch notice {
        case .counterMended, .numberOccupied: text("outbox.counter")
        case .unreadable: text("outbox.partial")
        case .attachmentsWithoutItems(let count, let folder):
            text("outbox.strays", count: count, ["folder": folder])
        }
    }

    func words(_ failure: Outbox.Failure) -> String {
        switch failure {
        case .noAnswer: text("outbox.noAnswer")
        case .status(let status): text("compose.waits.status", ["status": status])
        case .foreign(let status): text("outbox.foreign", ["status": status])
        case .unreadable: text("outbox.unreadableNow")
        }
    }

    func words(_ refusal: Outbox.Refusal) -> String {
        switch refusal {
        case .server(let status, let words): self.refusal(status, words)
        case .attachment(let name, _): text("outbox.attachment", ["name": name])
        case .unsendable: text("outbox.unsendable")
        }
    }

    func words(_ error: OutboxError) -> String {
        switch error {
        case .noSuchItem(_, .gone): text("outbox.gone")
        case .noSuchItem: text("outbox.noSuchItem")
        case .notNow: text("outbox.notNow")
        case .damaged: text("outbox.damaged")
        case .unsendable(let reason): reason
        case .attachment(let name, _): text("outbox.attachment", ["name": name])
        case .store(.lost): text("outbox.lost")
        case .store(.full): text("outbox.full")
        case .store: text("outbox.failed.store")
        }
    }

    /// The time of the next try. Less than a minute is not counted: the number would be wrong before it is read.
    func nextTry(_ at: Date, now: Date) -> String {
        let isSoon = at.timeIntervalSince(now) < 60
        return text("outbox.next", ["time": isSoon ? text("outbox.soon") : relative(at, now: now)])
    }

    /// The reason why an item waits behind one that was refused.
    func behind(_ title: String?) -> String {
        title.map { text("outbox.behind", ["title": $0]) } ?? text("outbox.behind.unnamed")
    }

    /// A server's refusal of a post, with its own words, or with its status if it has none.
    func refusal(_ status: Int, _ words: String) -> String {
        let words = Reason(words)?.error.harmless ?? words
        return text("outbox.refused") + (words.isEmpty ? " (\(status))." : ": \(words)")
    }
}

/// The document of a refusal, as the contracts have it.
private struct Reason: Decodable {
    let error: String

    /// The reason in a server's text; `nil` if it is another text.
    init?(_ text: String) {
        // A text that is no such document is shown as it is.
        guard let reason = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = reason
    }
}
