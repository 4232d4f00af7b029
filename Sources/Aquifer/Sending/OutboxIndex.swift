import AquiferFoundation

/// One outbox's view of the queue. It is a hint, so that the store is not read again for each item; the store decides
/// when an item is claimed.
struct OutboxIndex: Sendable {
    struct Row: Sendable {
        enum Content: Sendable {
            case head(OutboxRecord.Head)
            case damaged(String)
        }

        var content: Content
        /// The version in the store's list.
        var version: String
        /// The time, by ``OutboxIndex/elapsed``, from which this version is known here; `nil` for an item without a claim.
        private(set) var notedAt: Duration?
        /// The release of an item before its time; `nil` if it waits.
        var released: Release?
        /// True if the item was released because another item succeeded, and failed all the same. It then waits its
        /// full time.
        var hasFailedReleased = false

        init(content: Content, version: String) { (self.content, self.version) = (content, version) }

        var head: OutboxRecord.Head? {
            if case .head(let head) = content { head } else { nil }
        }

        /// Takes what was found in the store.
        fileprivate mutating func take(_ record: OutboxRecord, _ elapsed: () -> Duration) {
            let version = "\(record.version)"
            if version != self.version { notedAt = record.head.lease == nil ? nil : elapsed() }
            content = .head(record.head)
            self.version = version
        }
    }

    enum Release: Sendable {
        case byUser
        case byApp
        case bySuccess
    }

    /// The waits of a host that is out of reach, or has asked for a wait. They apply to every item of the host.
    struct Gate: Sendable {
        /// The outbox's own wait. A user, the app, or an answer of the server ends it early.
        var own: Span?
        /// The wait that the server asked for by `Retry-After`, which never ends early.
        var asked: Span?
        var failures = 0

        func left(_ now: Date) -> TimeInterval? {
            let left = max(own?.left(now) ?? 0, asked?.left(now) ?? 0)
            return left > 0 ? left : nil
        }
    }

    /// The doubt about an item after an answer that was not the server's own.
    enum Doubt: Hashable {
        /// The host itself has not answered since: the item or the host may be blocked.
        case suspect(host: String)
        /// The host itself has answered another item: only this item is blocked.
        case odd
    }

    enum Group: Hashable, Sendable {
        case named(StoreKey)
        case alone(UInt64)
    }

    private(set) var rows: [UInt64: Row] = [:]
    private(set) var groups: [Group: [UInt64]] = [:]
    var gates: [String: Gate] = [:]
    var doubts: [UInt64: Doubt] = [:]
    /// Hosts that an item may be waiting for, so that not every answer leads to a search through all items.
    private var silent: Set<String> = []
    /// The highest number up to which all items are known, or were missing when they were looked up.
    private(set) var highest: UInt64 = 0
    /// The number of items that were found confirmed or gone: what is known of their targets may have changed then.
    private(set) var ends: UInt64 = 0
    /// Counts what was noted.
    private(set) var moment: UInt64 = 0
    /// The items that were noted last, one for each moment, for those who know the queue as it was then.
    private var latest: [UInt64] = []
    /// The highest number of an item.
    private(set) var top: UInt64 = 0
    /// The moments of the items that were noted while something was read.
    private var noted: [UInt64: UInt64] = [:]
    private var looks = 0
    var holders = ClaimHolders()
    /// The time that has passed, by a clock that nobody sets.
    var elapsed: @Sendable () -> Duration = { .zero }

    // MARK: Items

    /// Notes what was found in the store. A record that was read before a change of the item, and comes after it, is passed over.
    mutating func note(_ finding: OutboxShelf.Finding, _ number: UInt64) {
        moment += 1
        latest.append(number)
        if latest.count > 2 * Self.memory { latest.removeFirst(latest.count - Self.memory) }
        defer { top = rows[number] != nil ? max(top, number) : number == top ? rows.keys.max() ?? 0 : top }
        if looks > 0 { noted[number] = moment }
        switch finding {
        case .record(let record):
            if isNewer(than: record, number) { return }
            // After the loss of a counter, an item may get the number of one that was sent, and be of another group.
            let known = rows[number]?.head
            if record.head.isConfirmed, known?.isConfirmed != true { ends += 1 }
            if known?.key != record.head.key || known?.isConfirmed != record.head.isConfirmed {
                drop(number)
                // A confirmed change holds nothing back.
                if !record.head.isConfirmed { add(number, to: group(of: number, record.head)) }
            }
            rows[number, default: Row(content: .head(record.head), version: "")].take(record, elapsed)
            if record.head.wait?.failure.isSilence == true { silent.insert(record.head.host) }
        case .nothing:
            if rows[number] != nil { ends += 1 }
            drop(number)
        case .damaged(let reason):
            // The group of a damaged item cannot be read.
            drop(number)
            rows[number] = Row(content: .damaged(reason), version: "damaged")
        }
    }

    /// True if a later change of the item than that of this record was noted. Another item may have had its number before.
    func isNewer(than record: OutboxRecord, _ number: UInt64) -> Bool {
        guard let row = rows[number], let known = UInt64(row.version) else { return false }
        return row.head?.queuedAt == record.head.queuedAt && known > record.version
    }

    // MARK: Readings

    /// Begins to remember which items are noted. Each call needs a call of ``endReading()``.
    mutating func beginReading() { looks += 1 }

    mutating func endReading() {
        looks -= 1
        if looks == 0 { noted = [:] }
    }

    /// True if the item was noted after a moment, while something was read.
    func wasNoted(_ number: UInt64, after begun: UInt64) -> Bool { noted[number].map { $0 > begun } ?? false }

    /// The items that were noted after a moment; `nil` if that is too long ago.
    func noted(after begun: UInt64) -> Set<UInt64>? {
        let count = moment - min(begun, moment)
        return count <= latest.count ? Set(latest.suffix(Int(count))) : nil
    }

    mutating func know(through number: UInt64) { highest = max(highest, number) }

    private mutating func drop(_ number: UInt64) {
        doubts[number] = nil
        guard let row = rows.removeValue(forKey: number), let head = row.head else { return }
        let group = group(of: number, head)
        // The item is nearly always the first of its group. A search through a long group for each item would take
        // quadratic time.
        if let place = groups[group]?.firstIndex(of: number) { groups[group]?.remove(at: place) }
        if groups[group]?.isEmpty == true { groups[group] = nil }
    }

    private mutating func add(_ number: UInt64, to group: Group) {
        let place = groups[group]?.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
        groups[group, default: []].insert(number, at: place)
    }

    func group(of number: UInt64) -> Group? { rows[number]?.head.map { group(of: number, $0) } }

    private func group(of number: UInt64, _ head: OutboxRecord.Head) -> Group {
        head.group.map { .named(StoreKey($0)) } ?? .alone(number)
    }

    // MARK: Outcomes

    /// Records that a host has answered, and releases the items that wait because no answer arrived. A wait that the
    /// host asked for still applies.
    ///
    /// - Returns: true if an item or the host may have been released.
    mutating func opened(_ host: String, _ now: Date) -> Bool {
        var isAny = gates[host]?.own != nil
        open(host, now)
        defer { for (number, doubt) in doubts where doubt == .suspect(host: host) { doubts[number] = .odd } }
        guard silent.remove(host) != nil else { return isAny }
        for (number, row) in rows where !row.hasFailedReleased && row.released == nil && doubts[number] != .odd {
            guard let head = row.head, head.wait?.failure.isSilence == true, head.host == host else { continue }
            rows[number]?.released = .bySuccess
            isAny = true
        }
        return isAny
    }

    /// Records a failed attempt.
    mutating func failed(_ number: UInt64) {
        guard let row = rows[number] else { return }
        rows[number]?.hasFailedReleased = row.released == .bySuccess
        rows[number]?.released = nil
    }

    /// Records a foreign answer to an item.
    ///
    /// - Returns: true if the host seems to be blocked, because another item has had a foreign answer too since the
    ///   host's own last answer. A foreign answer to an item while other items succeed does not concern the host.
    mutating func doubt(_ number: UInt64, _ host: String) -> Bool {
        if doubts[number] == .odd { return false }
        doubts[number] = .suspect(host: host)
        return doubts.values.count { $0 == .suspect(host: host) } > 1
    }

    /// Holds back all items of a host for a while.
    mutating func close(_ host: String, _ now: Date, asked: Span?, _ wait: (Int) -> Duration) {
        var gate = gates[host] ?? Gate()
        // Items that were sent at the same time fail together, which counts as one failure.
        if gate.own?.left(now) == nil {
            gate.failures += 1
            gate.own = Span(since: now, wait(gate.failures))
        }
        if let asked, asked.left(now) ?? 0 > gate.asked?.left(now) ?? 0 { gate.asked = asked }
        gates[host] = gate
    }

    /// Ends the outbox's own wait for a host. The wait that the host asked for still applies.
    mutating func open(_ host: String, _ now: Date) {
        guard let asked = gates[host]?.asked, asked.left(now) != nil else {
            gates[host] = nil
            return
        }
        gates[host] = Gate(asked: asked)
    }

    /// Releases items because the app reports a connection.
    mutating func connectionRestored(_ now: Date) {
        for host in gates.keys { open(host, now) }
        release(rows.keys, .byApp)
    }

    /// Releases all items for a user, except for those that a server has asked to hold back.
    mutating func retryAll(_ now: Date) {
        for host in gates.keys { open(host, now) }
        release(rows.keys, .byUser)
    }

    /// Releases items before their time: for a user, all waiting items; otherwise, those that had no answer.
    mutating func release(_ numbers: some Sequence<UInt64>, _ release: Release) {
        for number in Array(numbers) {
            guard let wait = rows[number]?.head?.wait, release == .byUser || wait.failure.isSilence else { continue }
            rows[number]?.released = release
        }
    }
}
