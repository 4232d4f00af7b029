import Aquifer
import AquiferWording
import Foundation
import Observation

/// What the engine does, as it does it: the live part of the inspector's page.
@MainActor
final class InspectorScreen: Screen {
    static let name = "inspector"

    struct State: ScreenState {
        /// The newest first.
        let events: [Event]
    }

    struct Event: Codable, Sendable {
        let id: Int
        /// In RFC 3339.
        let date: String
        /// The class of the key: `feed`.
        let subject: String
        /// The event in a sentence.
        let text: String
        let isTrouble: Bool

        init(_ line: EventLog.Line, _ language: Language) {
            (id, date, subject) = (line.id, line.date.formatted(.iso8601), "\(line.event.keyClass)")
            text = line.words(in: language)
            isTrouble = line.event.trouble != nil || line.event.name == "refused"
        }
    }

    enum Intent: String, ScreenIntent { case appear, clear }

    /// The number of events that the page shows.
    static let shown = 100

    private let model: EventLines

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        model = EventLines(hub.services.groundwork.events)
    }

    func state(_ context: ScreenContext) -> State {
        State(events: model.lines.prefix(Self.shown).map { Event($0, context.language) })
    }

    func refresh() async {}

    func action(for intent: Intent, _ fields: IntentFields) -> ScreenAction {
        let model = model
        return switch intent {
        case .appear: {}
        case .clear: { model.clear() }
        }
    }
}

/// The lines of the log, for a screen.
@MainActor @Observable
private final class EventLines {
    private(set) var lines: [EventLog.Line] = []
    @ObservationIgnored private let log: EventLog
    @ObservationIgnored private var reading: Task<Void, Never>?

    init(_ log: EventLog) {
        self.log = log
        reading = Task { [weak self] in
            for await _ in log.changes { self?.lines = log.lines }
        }
    }

    deinit { reading?.cancel() }

    func clear() { log.clear() }
}
