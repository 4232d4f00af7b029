import App
import Aquifer
import AquiferWording
import Foundation

extension Outbox.Item {
    /// More than its number could be read.
    var isReadable: Bool { if case .damaged = state { false } else { true } }

    /// The item in a line about it: `item 1 “Later rain”`.
    var named: String { "item \(id)" + (label.isEmpty ? "" : " “\(label)”") }

    /// The state and its reason in a line about the item.
    func condition(now: Date) -> String {
        switch state {
        case .retrying: detail(now: now)
        default: [stateWord, detail(now: now)].filter { !$0.isEmpty }.joined(separator: ": ")
        }
    }

    /// The state in a word.
    var stateWord: String { state.word }

    /// The reason, and the time of the next try.
    func detail(now: Date) -> String { state.detail(of: id, now: now) }
}

extension Outbox.State {
    /// The state in a word.
    var word: String {
        switch self {
        case .waiting: "waiting"
        case .retrying: "retrying"
        case .sending, .sendingElsewhere: "sending"
        case .paused: "paused"
        case .refused: "refused"
        case .damaged: "damaged"
        case .sent: "sent"
        case .gone: "gone"
        }
    }

    /// The reason for the state of an item, and the time of the next try.
    func detail(of id: Outbox.ID, now: Date) -> String {
        switch self {
        case .retrying(let failure, let at):
            "\(failure.words); retrying \(at.soon(now))"
        case .sendingElsewhere(let until):
            "by another process; if that has ended, the item can be tried again \(until.soon(now))"
        case .refused(let refusal): "\(refusal)"
        case .damaged(let reason): "\(reason); aquifer outbox discard \(id) takes it out"
        case .paused: "aquifer outbox retry \(id) sends it"
        case .waiting, .sending, .sent, .gone: ""
        }
    }
}

extension Date {
    /// A time to come, told from now: `in 27 seconds`.
    fileprivate func soon(_ now: Date) -> String {
        timeIntervalSince(now) < 5 ? "soon" : Language.english.relative(self, now: now)
    }
}

extension Outbox.Failure {
    /// The failure in a few words, without the details of the transfer.
    var words: String { if case .noAnswer = self { "no answer" } else { "\(self)" } }
}
