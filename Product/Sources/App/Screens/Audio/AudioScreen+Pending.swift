import Aquifer
import AquiferAudioFeed
import AquiferWording
import Foundation

extension AudioScreen {
    /// The state of a clip that the server does not have yet.
    struct Pending: Codable, Sendable {
        enum State: String, Codable, Sendable, CaseIterable { case waiting, posting, paused, refused }
        var state = State.waiting
        /// The part that has gone out, while it is being posted.
        @OrNull var percent: Int?
        /// The reason why it waits, and when it is tried again; the server's words, if it was refused.
        @OrNull var text: String?
        var canRetry = false
        let canEdit: Bool
    }
}

extension AudioScreen.Pending {
    /// - Parameters:
    ///   - first: the title of the clip that holds it back, if one does.
    ///   - isPaused: true while nothing is sent. The page says so once, not each row.
    @MainActor
    init(_ item: PendingItem, _ context: ScreenContext, behind first: String?, isPaused: Bool) {
        let language = context.language
        canEdit = item.canBeEdited
        switch item.state {
        case .waiting, .sent, .gone: break
        case .retrying(let failure, let at):
            text = language.words(failure)
            canRetry = true
            guard !isPaused else { break }
            text = "\(language.words(failure)) \(language.nextTry(at, now: context.now))."
        case .sending(let sent):
            state = .posting
            percent = sent.percent(of: item.length)
        case .sendingElsewhere: state = .posting
        case .paused:
            state = .paused
            canRetry = true
        case .refused(let refusal):
            state = .refused
            text = language.words(refusal)
            canRetry = true
        case .damaged:
            state = .refused
            text = language.text("outbox.unreadable")
        }
        guard state == .waiting else { return }
        if item.heldBackBy != nil { text = language.behind(first) }
    }
}
