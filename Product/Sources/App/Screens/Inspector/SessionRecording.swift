import Aquifer
import Foundation
import Observation

/// What the pages showed while somebody recorded it, state by state, so that it can be shown again.
///
/// It is in memory only, and ends with the program. States hold no secrets: no page is ever sent a card's number or a key.
@MainActor @Observable
final class SessionRecording {
    /// One state of one screen.
    struct Step: Sendable, Identifiable {
        /// 1 for the first.
        let id: Int
        let date: Date
        let address: ScreenAddress
        /// The state as it was sent.
        let state: String
        /// The number of the last event of the engine before it.
        let lastEvent: Int
    }

    /// The most steps that are kept. The recording ends itself when it is full.
    static let mostSteps = 1_000
    /// The most bytes of states that are kept.
    static let mostBytes = 16 << 20

    private(set) var steps: [Step] = []
    private(set) var isRecording = false
    /// True if the recording ended itself.
    private(set) var isFull = false
    @ObservationIgnored private var size = 0
    @ObservationIgnored private let log: EventLog
    @ObservationIgnored private let now: @Sendable () -> Date

    init(_ log: EventLog, now: @escaping @Sendable () -> Date) {
        self.log = log
        self.now = now
    }

    /// Begins anew. The steps of the recording before are gone.
    func start() {
        discard()
        isRecording = true
    }

    func stop() { isRecording = false }

    func discard() {
        (steps, size, isRecording, isFull) = ([], 0, false, false)
    }

    /// Notes a state that is sent to a page.
    func note(_ state: String, at address: ScreenAddress) {
        guard isRecording, address.name != InspectorScreen.name else { return }
        if steps.last(where: { $0.address == address })?.state == state { return }
        guard steps.count < Self.mostSteps, size + state.utf8.count <= Self.mostBytes else {
            (isRecording, isFull) = (false, true)
            return
        }
        size += state.utf8.count
        steps.append(
            Step(
                id: steps.count + 1, date: now(), address: address, state: state,
                lastEvent: log.last))
    }

    /// The step of this number; `nil` if there is none.
    func step(_ id: Int) -> Step? { steps.first { $0.id == id } }

    /// The state that a screen beside the one of a step had at that moment; `nil` if the tab did not show it.
    func state(of screen: String, _ subject: String, at step: Step) -> String? {
        let address = ScreenAddress(name: screen, tab: step.address.tab, subject: subject)
        return steps.prefix(step.id).last { $0.address == address }?.state
    }
}

/// The name of a tab that shows a step of the recording: `replay-12`.
enum ReplayTab {
    /// The number of the step; `nil` for any other tab.
    static func step(_ tab: String) -> Int? {
        guard tab.hasPrefix("replay-") else { return nil }
        return Int(tab.dropFirst("replay-".count))
    }
}
