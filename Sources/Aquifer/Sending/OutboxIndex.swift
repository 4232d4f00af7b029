import Foundation

/// What one outbox knows of the queue: a hint, so that the store is not read anew for each item. What is so, the
/// store decides when an item is claimed.
struct OutboxIndex: Sendable {
    struct Row: Sendable {
        enum Content: Sendable {
            case head(OutboxRecord.Head)
            case damaged(String)
        }

        var content: Content
        /// As the store's list tells it.
        var version: String
        /// Let go before its time, because the connection seems to be back.
        var released: Release?
        /// It was let go because something else went through, and failed all the same: it waits its time out.
        var hasFailedReleased = false

        var head: OutboxRecord.Head? {
            if case .head(let head) = content { head } else { nil }
        }
    }

    enum Release: Sendable {
        case byApp
        case bySuccess
    }

    /// A server that is out of reach, or wants to be left alone, is so for every item.
    struct Gate: Sendable {
        var span: Span
        var failures: Int
    }

    enum Group: Hashable, Sendable {
        case named(String)
        case alone(UInt64)
    }

    private(set) var rows: [UInt64: Row] = [:]
    private(set) var groups: [Group: [UInt64]] = [:]
    private var gates: [String: Gate] = [:]
    /// Hosts that some item may be waiting for, so that not every answer makes us look through all items.
    private var silent: Set<String> = []
    /// All items up to here are known, or were not there when they were looked for.
    private(set) var highest: UInt64 = 0

    // MARK: What is there

    mutating func note(_ finding: OutboxShelf.Finding, _ number: UInt64) {
        switch finding {
        case .record(let record):
            if rows[number]?.head == nil {
                drop(number)
                add(number, to: group(of: number, record.head))
            }
            rows[number, default: Row(content: .head(record.head), version: "")].content = .head(record.head)
            rows[number]?.version = "\(record.version)"
            if case .noAnswer = record.head.wait?.failure { silent.insert(record.head.host) }
        case .nothing:
            drop(number)
        case .damaged(let reason):
            // Which group it was of cannot be read any more.
            drop(number)
            rows[number] = Row(content: .damaged(reason), version: "damaged")
        }
    }

    mutating func know(through number: UInt64) { highest = max(highest, number) }

    mutating func setReleased(_ release: Release?, _ number: UInt64) { rows[number]?.released = release }

    private mutating func drop(_ number: UInt64) {
        guard let row = rows.removeValue(forKey: number), let head = row.head else { return }
        let group = group(of: number, head)
        // Nearly always the first: searching a long group for each of its items would take quadratic time.
        if let place = groups[group]?.firstIndex(of: number) { groups[group]?.remove(at: place) }
        if groups[group]?.isEmpty == true { groups[group] = nil }
    }

    private mutating func add(_ number: UInt64, to group: Group) {
        let place = groups[group]?.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
        groups[group, default: []].insert(number, at: place)
    }

    func group(of number: UInt64) -> Group? { rows[number]?.head.map { group(of: number, $0) } }

    private func group(of number: UInt64, _ head: OutboxRecord.Head) -> Group {
        head.group.map { .named($0) } ?? .alone(number)
    }

    // MARK: Whose turn it is

    /// The item of a group whose turn it is, whether or not its time has come.
    func first(of group: Group, passesRefused: Bool) -> UInt64? {
        groups[group]?.first { !passesRefused || rows[$0]?.head?.refusal == nil }
    }

    /// Whether an item's time has come, and if not, in how many seconds; `nil` if time alone does not bring it.
    func wait(_ number: UInt64, owner: UUID, _ now: Date) -> TimeInterval? {
        guard let row = rows[number], let head = row.head, !head.isPaused, head.refusal == nil else { return nil }
        var left = 0.0
        if let lease = head.lease, lease.owner != owner { left = max(left, lease.span.left(now) ?? 0) }
        if row.released == nil, let wait = head.wait { left = max(left, wait.span.left(now) ?? 0) }
        if let gate = gates[head.host] { left = max(left, gate.span.left(now) ?? 0) }
        return left
    }

    // MARK: What tries have shown

    /// A host has answered: what waits for it because there was no answer may go. Whether there is any such.
    mutating func opened(_ host: String) -> Bool {
        var isAny = gates.removeValue(forKey: host) != nil
        guard silent.remove(host) != nil else { return isAny }
        for (number, row) in rows where !row.hasFailedReleased && row.released == nil {
            guard let head = row.head, case .noAnswer = head.wait?.failure, head.host == host else { continue }
            rows[number]?.released = .bySuccess
            isAny = true
        }
        return isAny
    }

    /// A try was in vain.
    mutating func failed(_ number: UInt64) {
        guard let row = rows[number] else { return }
        rows[number]?.hasFailedReleased = row.released == .bySuccess
        rows[number]?.released = nil
    }

    /// Nothing goes to this host for a while.
    mutating func close(_ host: String, _ now: Date, _ wait: (Int) -> Duration) {
        // Those who were on their way together fail together: that is one failure.
        if let gate = gates[host], gate.span.left(now) != nil { return }
        let failures = (gates[host]?.failures ?? 0) + 1
        gates[host] = Gate(span: Span(since: now, wait(failures)), failures: failures)
    }

    /// Someone wants this host to be tried.
    mutating func open(_ host: String) { gates[host] = nil }

    /// The app says that there is a connection.
    mutating func prod() {
        gates = [:]
        for (number, row) in rows {
            if case .noAnswer = row.head?.wait?.failure { rows[number]?.released = .byApp }
        }
    }
}
