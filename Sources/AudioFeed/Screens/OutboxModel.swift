import Aquifer
import Foundation
import Observation

/// The screen of what waits to be posted.
@MainActor @Observable
public final class OutboxModel {
    /// What waits, in its order.
    public private(set) var items: [Outbox.Item] = []
    /// Whether the queue has been looked at.
    public private(set) var isLoaded = false
    /// Why the last thing asked for was not done.
    public private(set) var error: OutboxError?

    @ObservationIgnored private let outbox: Outbox
    @ObservationIgnored private var isFollowing = false

    /// The screen of an outbox.
    public init(_ outbox: Outbox) {
        self.outbox = outbox
    }

    /// The screen is visible: follows the queue until the task is cancelled.
    public func follow() async {
        guard !isFollowing else { return }
        isFollowing = true
        defer { isFollowing = false }
        await look()
        for await items in outbox.states() {
            self.items = items
            isLoaded = true
        }
    }

    /// Looks at the queue now, and at what other processes have done to it.
    public func look() async {
        do throws(StoreError) {
            items = try await outbox.items()
            isLoaded = true
        } catch { self.error = .store(error) }
    }

    /// Tries again now what waits for its time or was refused.
    public func sendAll() async {
        error = nil
        for item in items {
            switch item.state {
            case .refused, .retrying:
                // One that left the queue meanwhile stops none of the others.
                do throws(OutboxError) { try await outbox.retry(item.id) } catch { self.error = error }
            default: break
            }
        }
        await outbox.prod()
        // Once, for all of them: it reads the whole queue.
        await look()
    }

    /// Tries an item again, with the same key.
    public func retry(_ id: Outbox.ID) async {
        await act { () async throws(OutboxError) in try await self.outbox.retry(id) }
    }

    /// Takes an item out of the queue for good.
    public func discard(_ id: Outbox.ID) async {
        await act { () async throws(OutboxError) in try await self.outbox.discard(id) }
    }

    /// Keeps an item from being sent.
    public func pause(_ id: Outbox.ID) async {
        await act { () async throws(OutboxError) in try await self.outbox.pause(id) }
    }

    /// Lets a paused item be sent.
    public func resume(_ id: Outbox.ID) async {
        await act { () async throws(OutboxError) in try await self.outbox.resume(id) }
    }

    /// Gives a clip that was refused another title, and tries it again.
    public func rename(_ id: Outbox.ID, to title: String) async {
        await act { () async throws(OutboxError) in
            let checked: String
            do throws(ClipDraftError) { checked = try ClipDraft.title(title) } catch { throw .unsendable("\(error)") }
            guard let request = try await self.outbox.request(of: id).renamed(checked) else {
                throw .notNow(id, reason: "is no clip")
            }
            try await self.outbox.edit(id, to: request, label: checked)
        }
    }

    /// The customer has read what went wrong.
    public func dismissError() { error = nil }

    private func act(_ body: () async throws(OutboxError) -> Void) async {
        do throws(OutboxError) {
            try await body()
            error = nil
        } catch { self.error = error }
        await look()
    }
}

extension HTTPRequest {
    /// A post of a clip with another title; `nil` if this is none.
    func renamed(_ title: String) -> HTTPRequest? {
        guard var body else { return nil }
        for (index, part) in body.parts.enumerated() {
            // Most parts are no JSON.
            guard case .bytes(let data) = part,
                var metadata = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any],
                metadata["title"] is String
            else { continue }
            metadata["title"] = title
            // A text always encodes.
            guard let written = try? JSONSerialization.data(withJSONObject: metadata, options: [.sortedKeys]) else {
                return nil
            }
            body.parts[index] = .bytes(written)
            var request = self
            request.body = body
            return request
        }
        return nil
    }
}
