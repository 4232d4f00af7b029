import Aquifer
import AquiferWording
import Foundation

extension EventLog.Line {
    /// The event in a sentence.
    func words(in language: Language) -> String {
        switch event {
        case .asked: language.text("event.asked")
        case .answered(_, let time, _, let trouble?):
            language.text("event.unanswered", ["ms": time, "trouble": language.text("trouble.\(trouble.rawValue)")])
        case .answered(_, let time, 0, nil): language.text("event.answered.empty", ["ms": time])
        case .answered(_, let time, let bytes, nil):
            language.text("event.answered", ["ms": time, "size": language.size(UInt64(max(0, bytes)))])
        case .saved(_, _, let bytes): language.text("event.saved", ["size": language.size(UInt64(max(0, bytes)))])
        case .stoodIn(_, let age, let trouble):
            language.text(
                "event.stoodIn",
                [
                    "age": words(for: age, language),
                    "trouble": language.text("trouble.\((trouble ?? .noAnswer).rawValue)"),
                ])
        case .updated(_, let cause, let age): updated(cause, age, language)
        case .evicted(_, let bytes): language.text("event.evicted", ["size": language.size(UInt64(max(0, bytes)))])
        case .queued(_, let bytes): language.text("event.queued", ["size": language.size(UInt64(max(0, bytes)))])
        case .sent(_, let time, _): language.text("event.sent", ["ms": time])
        case .refused(_, _, let status?): language.text("event.refused", ["status": status])
        case .refused(_, _, nil): language.text("event.unsendable")
        }
    }

    private func updated(_ cause: UpdateCause, _ age: Duration?, _ language: Language) -> String {
        switch (cause, age) {
        case (.found, nil): language.text("event.updated.nothing")
        case (.loaded, nil): language.text("event.updated.unsaved")
        default:
            language.text("event.updated.\(cause.rawValue)", ["age": age.map { words(for: $0, language) } ?? ""])
        }
    }

    private func words(for age: Duration, _ language: Language) -> String {
        language.relative(date.addingTimeInterval(-Double(age.components.seconds)), now: date)
    }
}
