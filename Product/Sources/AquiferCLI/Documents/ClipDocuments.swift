import App
import Aquifer
import AquiferAudioFeed
import Foundation

/// A clip.
struct ClipDocument: Encodable {
    let id: String
    let title: String
    @OrNull var author: String?
    let duration: Double
    let createdAt: Date
    @OrNull var audio: String?
    let waveform: [Double]
    @OrNull var pending: PendingClipDocument?

    init(_ clip: AudioClip, _ pending: PendingClipDocument? = nil) {
        id = clip.id.uuidString
        title = clip.title
        _author = OrNull(wrappedValue: clip.author)
        duration = clip.duration
        createdAt = clip.createdAt
        // The server has no address for it yet.
        _audio = OrNull(wrappedValue: pending == nil ? clip.audio.absoluteString : nil)
        waveform = clip.waveform
        _pending = OrNull(wrappedValue: pending)
    }
}

/// The state of a clip that waits to be posted.
struct PendingClipDocument: Encodable {
    /// The ID of its item in the outbox.
    let item: UInt64
    let state: String
    /// The part that has gone out, while this process sends it.
    @OrNull var percent: Int?
    let detail: String

    /// - Parameter now: The time from which the next try is told.
    init(_ item: PendingItem, now: Date) {
        self.item = item.id.number
        state = item.state.word
        _percent = OrNull(wrappedValue: item.percent)
        detail = item.state.detail(of: item.id, now: now)
    }
}

/// An item of the outbox.
struct OutboxItemDocument: Encodable {
    let id: UInt64
    let state: String
    @OrNull var group: String?
    let label: String
    let idempotencyKey: String
    let bytes: UInt64
    @OrNull var queuedAt: Date?
    let attempts: Int
    /// The time of the next try, at the latest if nobody sends it any more; `null` if its turn decides.
    @OrNull var nextTryAt: Date?
    let detail: String

    /// - Parameter now: The time from which the next try is told.
    init(_ item: Outbox.Item, now: Date) {
        id = item.id.number
        state = item.stateWord
        _group = OrNull(wrappedValue: item.group)
        label = item.label
        idempotencyKey = item.key
        bytes = item.length
        _queuedAt = OrNull(wrappedValue: item.isReadable ? item.queuedAt : nil)
        attempts = item.attempts
        switch item.state {
        case .retrying(_, at: let time), .sendingElsewhere(until: let time): nextTryAt = time
        default: nextTryAt = nil
        }
        detail = item.detail(now: now)
    }
}

/// The result of sending the outbox.
struct OutboxReportDocument: Encodable {
    let sent: Int
    let refused: Int
    let failed: Int
    let gone: Int
    /// `null` if the store that failed does not tell.
    @OrNull var left: [OutboxItemDocument]?
}

/// An item that was taken out of the outbox.
struct DiscardedItemDocument: Encodable {
    let discarded: UInt64
    let label: String
    /// True if a try to send the item had begun.
    let mayHaveArrived: Bool
}
