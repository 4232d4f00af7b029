import Aquifer
import AquiferWording
import Foundation
import Observation

/// What the engine does, as it does it, and the recording of a session: the live part of the inspector's page.
@MainActor
final class InspectorScreen: Screen {
    static let name = "inspector"

    struct State: ScreenState {
        /// The newest first.
        let events: [Event]
        let isRecording: Bool
        /// True if the recording ended itself, because it was full.
        let isFull: Bool
        /// The number of recorded steps.
        let steps: Int
        /// The first step; `nil` without a recording.
        @OrNull var first: Place?
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

    /// A step of a recording, and the screen that it shows.
    struct Place: Codable, Sendable {
        let step: Int
        let screen: String
        let subject: String

        init(_ step: SessionRecording.Step) {
            (self.step, screen, subject) = (step.id, step.address.name, step.address.subject)
        }
    }

    enum Intent: String, ScreenIntent { case appear, clear, record, stop, discard }

    /// The number of events that the page shows.
    static let shown = 100

    private let model: EventLines
    private let recording: SessionRecording

    init(_ address: ScreenAddress, in hub: ScreenHub) {
        model = EventLines(hub.services.groundwork.events)
        recording = hub.recording
    }

    func state(_ context: ScreenContext) -> State {
        State(
            events: model.lines.prefix(Self.shown).map { Event($0, context.language) },
            isRecording: recording.isRecording, isFull: recording.isFull, steps: recording.steps.count,
            first: recording.steps.first.map(Place.init))
    }

    func refresh() async {}

    func action(for intent: Intent, _ fields: IntentFields) -> ScreenAction {
        let (model, recording) = (model, recording)
        return switch intent {
        case .appear: {}
        case .clear: { model.clear() }
        case .record: { recording.start() }
        case .stop: { recording.stop() }
        case .discard: { recording.discard() }
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
