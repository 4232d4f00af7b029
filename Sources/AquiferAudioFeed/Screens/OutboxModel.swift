import Aquifer
import AquiferFoundation
import Observation

/// The screen of the clips that wait to be posted.
@MainActor @Observable
public final class OutboxModel {
    /// The items that wait, in their order.
    public private(set) var items: [Outbox.Item] = []
    /// True if the queue has been read.
    public private(set) var isLoaded = false
    /// False while the queue cannot be read: then nothing is known of it, and an empty list does not mean that none wait.
    public private(set) var isReadable = true
    /// The items shown so far that this process has sent, the latest hundred. An item that leaves the list and is not
    /// here was discarded, or sent by another process.
    public private(set) var sent: [Outbox.ID] = []
    /// Damage that the outbox has found.
    public private(set) var notices: [Outbox.Notice] = []
    /// The item that was discarded last, if it may have arrived all the same.
    public private(set) var discarded: Outbox.Item?
    /// The error of the last action.
    public private(set) var error: OutboxError?

    @ObservationIgnored private let service: AudioFeedService
    @ObservationIgnored private let turn = LoadTurn()

    /// The screen of a service's outbox.
    public init(_ service: AudioFeedService) {
        self.service = service
    }

    private var outbox: Outbox { service.outbox }

    /// The screen is visible: follows the queue until the task is cancelled. While one follows, the others wait for its end, and the next
    /// one goes on.
    public func follow() async {
        await turn.run {
            await look()
            for await items in outbox.states() { show(items) }
            return Task.isCancelled
        }
    }

    /// Reads the queue now, with the changes that other processes have made to it.
    public func look() async {
        do throws(StoreError) {
            show(try await outbox.items())
            isReadable = true
        } catch {
            self.error = .store(error)
            isReadable = false
        }
    }

    private func show(_ items: [Outbox.Item]) {
        let present = Set(items.map(\.id))
        for old in self.items where !present.contains(old.id) {
            if outbox.hasSent(old.id) { sent = sent.suffix(99) + [old.id] }
        }
        self.items = items
        notices = outbox.notices
        isLoaded = true
    }

    /// Tries again now: items that wait for their time, and refused ones. An item waits on if a server asked it to
    /// wait.
    public func sendAll() async {
        error = nil
        for item in items {
            guard case .refused = item.state else { continue }
            // An item that left the queue meanwhile stops none of the others.
            do throws(OutboxError) { try await outbox.retry(item.id) } catch { self.error = error }
        }
        await outbox.retryAll()
        // This happens once for all of them: it reads the whole queue.
        await look()
    }

    /// Tries an item again, with the same key.
    public func retry(_ id: Outbox.ID) async {
        await act { () async throws(OutboxError) in try await self.outbox.retry(id) }
    }

    /// Takes an item out of the queue for good. ``discarded`` tells of one that may have arrived all the same.
    public func discard(_ id: Outbox.ID) async {
        let item = items.first { $0.id == id }
        await act { () async throws(OutboxError) in
            let mayHaveArrived = try await self.outbox.discard(id)?.mayHaveArrived == true
            self.discarded = mayHaveArrived ? item : nil
        }
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
        await act { () async throws(OutboxError) in try await self.service.rename(id, to: title) }
    }

    /// The user has read the error.
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
    /// This post of a clip with another title; `nil` if it is no such post.
    func renamed(_ title: String) -> HTTPRequest? {
        guard var body else { return nil }
        for (index, part) in body.parts.enumerated() {
            // Most parts are no JSON.
            guard case .bytes(let data) = part, var metadata = try? JSONDecoder().decode(ClipMetadata.self, from: data)
            else { continue }
            metadata.title = title
            // A text always encodes.
            guard let written = try? metadata.encoded() else { return nil }
            body.parts[index] = .bytes(written)
            var request = self
            request.body = body
            return request
        }
        return nil
    }
}
