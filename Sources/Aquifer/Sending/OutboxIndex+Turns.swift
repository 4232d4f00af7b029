import AquiferFoundation

/// The turns of items.
extension OutboxIndex {
    /// The next item of a group, even if its time has not come.
    func first(of group: Group, skipsRefused: Bool) -> UInt64? {
        groups[group]?.first { !skipsRefused || rows[$0]?.head?.refusal == nil }
    }

    /// The seconds until an item's time, 0 if it has come; `nil` if the item does not wait for a time.
    func wait(_ number: UInt64, owner: UUID, _ now: Date) -> TimeInterval? {
        guard let row = rows[number], let head = row.head, !head.isPaused, head.refusal == nil else { return nil }
        var left = 0.0
        if let lease = head.lease, lease.owner != owner { left = max(left, self.left(of: lease, row, now) ?? 0) }
        left = max(left, head.wait?.left(now, isReleased: row.released != nil) ?? 0)
        if let gate = gates[head.host] { left = max(left, gate.left(now) ?? 0) }
        return left
    }

    /// The seconds for which a claim of another outbox counts; `nil` if it does not.
    func left(of lease: OutboxRecord.Lease, _ row: Row, _ now: Date) -> TimeInterval? {
        holders.left(of: lease, now, unchanged: row.notedAt.map { elapsed() - $0 } ?? .zero)
    }

    /// The version of an item with a claim, and the time for which it is known here.
    func unchanged(_ number: UInt64) -> (version: String, time: Duration)? {
        guard let row = rows[number], let notedAt = row.notedAt else { return nil }
        return (row.version, elapsed() - notedAt)
    }

    /// The known items that come, in their group, before one that was found to be sent or to have left. They have left before it, although a
    /// list that was made meanwhile may not say so.
    func numbers(before findings: [(number: UInt64, finding: OutboxShelf.Finding)]) -> Set<UInt64> {
        var last: [Group: UInt64] = [:]
        for (number, finding) in findings {
            if case .record(let record) = finding, !record.head.isConfirmed { continue }
            guard let group = group(of: number) else { continue }
            last[group] = max(last[group] ?? 0, number)
        }
        return Set(last.flatMap { group, number in groups[group]?.prefix { $0 < number } ?? [] })
    }

    /// The number of notes that are remembered at least.
    static let memory = 1_000

    /// True for an item whose last answer was not the server's own. Other items are sent first.
    func isDoubtful(_ number: UInt64) -> Bool { doubts[number] != nil }
}
