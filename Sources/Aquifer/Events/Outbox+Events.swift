import AquiferFoundation

extension Outbox {
    /// The class of an item: that of its group, because its address and its label may name somebody.
    private func keyClass(of head: OutboxRecord.Head) -> KeyClass { head.group.map { KeyClass(of: $0) } ?? .other }

    /// Tells that an item is on disk.
    func tellQueued(_ head: OutboxRecord.Head) {
        events?.note(.queued(keyClass(of: head), bytes: Int(clamping: head.length)))
    }

    /// Tells the outcome of an attempt that decided about its item.
    func tell(_ outcome: Outcome, of head: OutboxRecord.Head, since start: Date) {
        guard let events else { return }
        let milliseconds = start.milliseconds(to: policy.now())
        switch outcome {
        case .sent:
            events.note(.sent(keyClass(of: head), milliseconds: milliseconds, bytes: Int(clamping: head.length)))
        case .refused(let refusal):
            var status: Int?
            if case .server(let answered, _) = refusal { status = answered }
            events.note(.refused(keyClass(of: head), milliseconds: milliseconds, status: status))
        // The item is tried again: nothing is decided.
        case .again, .stopped: break
        }
    }
}
