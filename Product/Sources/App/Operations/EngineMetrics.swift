import Aquifer
import AquiferConcurrency

/// Counts what the engine tells of loads, saves, evictions and the outbox.
final class EngineMetrics: AquiferEvents {
    /// A load that was answered by the remote or by a saved copy, or an answer that never came.
    private struct Load: Hashable {
        let keyClass: String
        /// Why the remote did not answer; `none` if it did.
        let reason: String
    }

    private struct Refusal: Hashable {
        let keyClass: String
        let status: String
    }

    private struct State {
        var remote: [String: Int] = [:]
        var saved: [Load: Int] = [:]
        var troubles: [Load: Int] = [:]
        var remoteSeconds: [String: Histogram] = [:]
        var remoteBytes: [String: Int] = [:]
        var saves: [String: Int] = [:]
        var saveSeconds: [String: Histogram] = [:]
        var evictions: [String: Int] = [:]
        var evictedBytes: [String: Int] = [:]
        var queued: [String: Int] = [:]
        var sent: [String: Int] = [:]
        var refused: [Refusal: Int] = [:]
        var sendSeconds: [String: Histogram] = [:]
    }

    private let state = Locked(State())

    /// The classes of keys that the apps have. Any other class is told as `other`, because it may be somebody's name.
    static let classes = Set(
        KnownEntries.families.map { KeyClass(of: $0.prefix + ":").name } + ["audio", "pictures", "contacts"]
            + [KeyClass.download.name])

    /// The label of a class.
    static func label(_ keyClass: KeyClass) -> String { classes.contains(keyClass.name) ? keyClass.name : "other" }

    func note(_ event: AquiferEvent) {
        let name = Self.label(event.keyClass)
        let seconds = Double(event.milliseconds ?? 0) / 1_000
        state.withLock { state in
            switch event {
            case .asked, .updated: break
            case .answered(_, _, let bytes, let trouble):
                state.remoteSeconds[name, default: Histogram()].add(seconds)
                state.remoteBytes[name, default: 0] &+= bytes
                if let trouble {
                    state.troubles[Load(keyClass: name, reason: trouble.rawValue), default: 0] += 1
                } else {
                    state.remote[name, default: 0] += 1
                }
            case .stoodIn(_, _, let trouble):
                state.saved[Load(keyClass: name, reason: trouble?.rawValue ?? "store"), default: 0] += 1
            case .saved:
                state.saves[name, default: 0] += 1
                state.saveSeconds[name, default: Histogram()].add(seconds)
            case .evicted(_, let bytes):
                state.evictions[name, default: 0] += 1
                state.evictedBytes[name, default: 0] &+= bytes
            case .queued: state.queued[name, default: 0] += 1
            case .sent:
                state.sent[name, default: 0] += 1
                state.sendSeconds[name, default: Histogram()].add(seconds)
            case .refused(_, _, let status):
                // No server answers a request with another status than these.
                let known = status.flatMap { (100...599).contains($0) ? "\($0)" : nil }
                state.refused[Refusal(keyClass: name, status: known ?? "none"), default: 0] += 1
            }
        }
    }

    /// Adds all of it to a text.
    func write(to text: inout OpenMetricsText) {
        let state = state.withLock { $0 }
        text.family("aquifer_loads", .counter, "Loads that delivered something, by where it came from and why.")
        for (name, count) in state.remote.sorted(by: { $0.key < $1.key }) {
            text.sample(count, [("class", name), ("source", "remote"), ("reason", "none")])
        }
        for (load, count) in state.saved.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.sample(count, [("class", load.keyClass), ("source", "saved"), ("reason", load.reason)])
        }
        text.family("aquifer_remote_troubles", .counter, "Requests of loads that a remote did not answer as it should.")
        for (load, count) in state.troubles.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.sample(count, [("class", load.keyClass), ("reason", load.reason)])
        }
        text.counters("aquifer_remote_bytes", "Bytes of the answers of remotes.", state.remoteBytes)
        text.histograms("aquifer_remote_seconds", "The time until a remote's answer was there.", state.remoteSeconds)
        text.counters("aquifer_saves", "Entries and files that were saved.", state.saves)
        text.histograms("aquifer_save_seconds", "The time to save one.", state.saveSeconds)
        text.counters("aquifer_evictions", "Entries deleted to keep a store within its bound.", state.evictions)
        text.counters("aquifer_evicted_bytes", "Bytes of those.", state.evictedBytes)
        text.counters("aquifer_outbox_queued", "Items that were queued here.", state.queued)
        text.counters("aquifer_outbox_sent", "Items that were sent from here and accepted.", state.sent)
        text.family("aquifer_outbox_refused", .counter, "Items that were refused for good, by the server's status.")
        for (refusal, count) in state.refused.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            text.sample(count, [("class", refusal.keyClass), ("status", refusal.status)])
        }
        text.histograms("aquifer_outbox_send_seconds", "The time to send an item that was accepted.", state.sendSeconds)
    }
}

extension OpenMetricsText {
    /// Adds a counter for each class of keys.
    fileprivate mutating func counters(_ name: String, _ help: String, _ counts: [String: Int]) {
        family(name, .counter, help)
        for (keyClass, count) in counts.sorted(by: { $0.key < $1.key }) { sample(count, [("class", keyClass)]) }
    }

    /// Adds a histogram for each class of keys.
    fileprivate mutating func histograms(_ name: String, _ help: String, _ histograms: [String: Histogram]) {
        family(name, .histogram, help)
        for (keyClass, one) in histograms.sorted(by: { $0.key < $1.key }) { sample(one, [("class", keyClass)]) }
    }
}
