import AquiferConcurrency
import AquiferFoundation

/// The number of bytes of the bodies that arrived for one answer.
package final class ByteMeter: Sendable {
    private let total = Locked(0)

    func add(_ bytes: Int) { total.withLock { $0 = $0.addingReportingOverflow(bytes).partialValue } }
    var bytes: Int { total.withLock { $0 } }
}

extension Cache {
    /// Asks a remote, and tells so.
    func telling<Answer>(
        _ events: any AquiferEvents, asking ask: (ByteMeter) async throws(LoadError) -> Answer
    ) async throws(LoadError) -> Answer {
        let (keyClass, start, meter) = (KeyClass(of: key), time, ByteMeter())
        events.note(.asked(keyClass))
        func answered(_ trouble: RemoteTrouble?) {
            events.note(
                .answered(
                    keyClass, milliseconds: start.milliseconds(to: time), bytes: meter.bytes, trouble: trouble))
        }
        do throws(LoadError) {
            let answer = try await ask(meter)
            answered(nil)
            return answer
        } catch {
            // The caller who left has seen no answer, and there is no trouble to tell.
            if error != .cancelled { answered(error.trouble) }
            throw error
        }
    }

    /// Changes the entry, and tells if it was saved.
    func telling<Outcome>(
        _ events: any AquiferEvents,
        changing change: (@Sendable (EntryChange) -> EntryChange) async throws(StoreError) -> Outcome
    ) async throws(StoreError) -> Outcome {
        let start = time
        let size = Locked<Int?>(nil)
        let outcome = try await change { change in
            size.withLock { if case .replace(let entry) = change { $0 = entry.bytes.count } else { $0 = nil } }
            return change
        }
        if let size = size.withLock({ $0 }) { tellSaved(size, since: start) }
        return outcome
    }

    /// Tells that an entry of this size was saved.
    func tellSaved(_ bytes: Int, since start: Date) {
        events?.note(.saved(KeyClass(of: key), milliseconds: start.milliseconds(to: time), bytes: bytes))
    }

    /// Tells that the copy of this date stood in for the latest.
    func tellStandIn(savedAt: Date, because error: LoadError) {
        guard let events else { return }
        let age = Duration.milliseconds(savedAt.milliseconds(to: time))
        events.note(.stoodIn(KeyClass(of: key), age: age, trouble: error.trouble))
    }
}

extension Date {
    /// The whole milliseconds from here to a later date; 0 if it is none.
    func milliseconds(to later: Date) -> Int {
        let milliseconds = (later.timeIntervalSince(self) * 1000).rounded()
        return milliseconds > 0 ? Int(exactly: milliseconds) ?? .max : 0
    }
}
