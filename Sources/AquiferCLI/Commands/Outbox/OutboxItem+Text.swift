import App
import Aquifer
import AquiferWording
import Foundation

extension Outbox.Item {
    /// More than its number could be read.
    var isReadable: Bool { if case .damaged = state { false } else { true } }

    /// The state in a word.
    var stateWord: String {
        switch state {
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

    /// The reason, and the time of the next try.
    func detail(now: Date) -> String {
        switch state {
        case .retrying(let failure, let at):
            "\(failure); tries again \(at.timeIntervalSince(now) < 5 ? "soon" : Language.english.relative(at, now: now))"
        case .refused(let refusal): "\(refusal)"
        case .damaged(let reason): "\(reason); aquifer outbox discard \(id) takes it out"
        case .paused: "aquifer outbox retry \(id) sends it"
        default: ""
        }
    }
}
