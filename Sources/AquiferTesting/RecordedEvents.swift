import Aquifer

/// Remembers what the engine told.
///
/// ```swift
/// let events = RecordedEvents()
/// let notes = Cache<[Note]>(key: "notes:1", in: store, events: events)
/// try await notes.save([])
/// #expect(events.told.map(\.name) == ["saved"])
/// ```
public final class RecordedEvents: AquiferEvents {
    private let state = Watched([AquiferEvent]())

    /// A record without events.
    public init() {}

    /// The events, in their order.
    public var told: [AquiferEvent] { state.update { $0 } }

    /// See `AquiferEvents.note`.
    public func note(_ event: AquiferEvent) { state.update { $0.append(event) } }

    /// Returns once there are so many events in all, or the task is cancelled.
    public func waitFor(_ count: Int) async {
        _ = await state.first { $0.count >= count ? true : nil }
    }
}
