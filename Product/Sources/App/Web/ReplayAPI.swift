import Aquifer
import AquiferWording
import Foundation
import HTTPServer

/// Shows a recorded session again: each step's states, as they were sent, and what the engine did before it.
@MainActor
struct ReplayAPI {
    let hub: ScreenHub

    /// A step, with its neighbours.
    struct Step: Codable, Sendable {
        let step: Int
        let count: Int
        /// In RFC 3339.
        let date: String
        /// What the engine did since the step before, in sentences.
        let events: [InspectorScreen.Event]
        @OrNull var previous: InspectorScreen.Place?
        @OrNull var next: InspectorScreen.Place?
    }

    nonisolated func add(to router: inout Router) {
        router.on("GET", "/api/replay/:step") { request, parameters in
            let language = Language.best(for: request.queryValue("lang") ?? "en")
            return await step(parameters["step"].flatMap { Int($0) }, language)
        }
    }

    private func step(_ id: Int?, _ language: Language) -> ServerResponse {
        guard let id, let step = hub.recording.step(id) else { return Self.unknown }
        let before = hub.recording.step(step.id - 1)
        let lines = hub.services.groundwork.events.lines
            .filter { $0.id > before?.lastEvent ?? step.lastEvent && $0.id <= step.lastEvent }
        return .json(
            Step(
                step: id, count: hub.recording.steps.count, date: step.date.formatted(.iso8601),
                events: lines.map { InspectorScreen.Event($0, language) },
                previous: before.map(InspectorScreen.Place.init),
                next: hub.recording.step(step.id + 1).map(InspectorScreen.Place.init)))
    }

    /// The state of a screen at a step, in place of a live one.
    func events(of screen: String, _ subject: String, at id: Int) -> ServerResponse {
        guard let step = hub.recording.step(id), let state = hub.recording.state(of: screen, subject, at: step) else {
            return Self.unknown
        }
        return ServerSentEvents.response { send in
            try await send(event: "state", data: state)
            // Nothing comes after it, and the page need not ask again.
            let (silence, _) = AsyncStream.makeStream(of: Void.self)
            for await _ in silence {}
        }
    }

    /// The answer to an intent: the screens of a replay do nothing.
    nonisolated static var refusal: ServerResponse {
        .problem(409, "replay", "this is a recorded state: it shows what was, and does nothing")
    }

    private static var unknown: ServerResponse {
        .problem(404, "notFound", "there is no such step in the recording; it may have been discarded")
    }
}
