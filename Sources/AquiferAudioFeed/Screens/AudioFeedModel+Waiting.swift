import Aquifer
import AquiferFoundation

/// The actions of users on clips that wait to be posted, or were refused.
extension AudioFeedModel {
    /// Tries a clip again now, with the same key.
    public func retry(_ id: UUID) async {
        await change(id) { (service, item) async throws(OutboxError) in try await service.retry(item) }
    }

    /// Gives a clip another title. One that was refused is tried again.
    public func rename(_ id: UUID, to title: String) async {
        await change(id) { (service, item) async throws(OutboxError) in try await service.rename(item, to: title) }
    }

    /// Takes a clip back for good. ``discarded`` tells of one that may have arrived all the same.
    public func discard(_ id: UUID) async {
        let clip = clip(id)
        await change(id) { (service, item) async throws(OutboxError) in
            let mayHaveArrived = try await service.discard(item)
            self.discarded = mayHaveArrived ? clip : nil
        }
    }

    /// The user has read the error of the list, or of a change.
    public func dismissError() {
        list.dismissError()
        changeError = nil
    }

    private func change(
        _ id: UUID, _ body: (AudioFeedService, Outbox.ID) async throws(OutboxError) -> Void
    ) async {
        // It may have been posted, or discarded elsewhere, since the user saw it: the list shows that.
        guard let clip = clip(id), let item = waiting[clip.id] else { return }
        do throws(OutboxError) {
            try await body(service, item.id)
            changeError = nil
        } catch { changeError = error }
    }
}
