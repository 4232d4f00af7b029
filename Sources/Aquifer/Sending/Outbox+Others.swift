import AquiferConcurrency

/// Changes of the queue by others, as the store tells them.
extension Outbox {
    /// Changes of the store.
    struct Told: Sendable {
        /// The items that were written or deleted.
        var numbers: Set<UInt64> = []
        /// True if anything may have changed.
        var isEverything = false
        /// True while a task reads what was told before.
        var isBeingRead = false

        var isEmpty: Bool { numbers.isEmpty && !isEverything }

        mutating func add(_ other: Told) {
            numbers.formUnion(other.numbers)
            isEverything = isEverything || other.isEverything
        }

        /// Adds a change of the store. The counter alone is no change of the queue.
        mutating func add(_ change: StoreChange) {
            switch change {
            case .entry(let key): if let number = OutboxShelf.number(key) { numbers.insert(number) }
            case .prefix, .everything: isEverything = true
            }
        }
    }

    /// Those who hear what others change.
    struct Hearing: Sendable {
        var listeners = 0
        /// True if there were listeners, and have been none since.
        var hasMissed = false
        /// Reads again what could not be read.
        var retry: StoreObservation?
    }

    /// Reads each item that anybody changes, soon, until the observation ends. The changes of this outbox are read again,
    /// too, and found known.
    nonisolated func hearOthers() -> StoreObservation {
        let observation = shelf.store.changes.observe { [weak self] change in
            var told = Told()
            told.add(change)
            self?.hear(told)
        }
        let hasMissed = hearing.withLock { hearing in
            hearing.listeners += 1
            defer { hearing.hasMissed = false }
            return hearing.hasMissed
        }
        if hasMissed { hear(Told(isEverything: true)) }
        return StoreObservation { [hearing] in
            observation.cancel()
            let retry = hearing.withLock { hearing -> StoreObservation? in
                hearing.listeners -= 1
                guard hearing.listeners == 0 else { return nil }
                hearing.hasMissed = true
                return hearing.retry.take()
            }
            retry?.cancel()
        }
    }

    /// Notes what others change while this outbox sends, until the observation ends. It is read when there is room to send
    /// more: an item that another one is sending is then often gone, and is read once.
    nonisolated func hearWhileSending() -> StoreObservation {
        shelf.store.changes.observe { [shelf, heard, hearing, work] change in
            var new = Told()
            new.add(change)
            // Followers have everything read at once.
            if new.isEmpty || shelf.isChanging || hearing.withLock({ $0.listeners > 0 }) { return }
            heard.withLock { heard in
                heard.add(new)
                // So many are read faster with the whole queue.
                if heard.numbers.count > 10_000 { heard = Told(isEverything: true) }
            }
            work.ring()
        }
    }

    /// True if something was heard that can be read. An item that is being claimed or sent from here is read when that has ended.
    var hasHeard: Bool {
        heard.withLock { heard in heard.isEverything || heard.numbers.contains { sending[$0] == nil } }
    }

    /// The items that were heard of and can be read now.
    func nextHeard() -> Told {
        heard.withLock { heard in
            let later = heard.numbers.filter { sending[$0] != nil }
            defer { heard = Told(numbers: later) }
            return Told(numbers: heard.numbers.subtracting(later), isEverything: heard.isEverything)
        }
    }

    /// Reads what was heard while this outbox sends.
    func takeHeard() async {
        let new = nextHeard()
        do throws(StoreError) {
            let isNews = try await new.isEverything || !hasAudited ? refresh() : look(at: new.numbers)
            if looks > 0 { overlooked.add(new) }
            if isNews { changes.ring() }
        } catch {
            heard.withLock { $0.add(new) }
            storeFailure = error
        }
    }

    private nonisolated func hear(_ new: Told) {
        let isFirst = told.withLock { told in
            told.add(new)
            defer { told.isBeingRead = told.isBeingRead || !told.isEmpty }
            return !told.isEmpty && !told.isBeingRead
        }
        // One task reads for all: a burst of changes costs few looks.
        if isFirst { Task { [weak self] in await self?.readTold() } }
    }

    private func readTold() async {
        while let new = nextTold() {
            let isNews: Bool
            do throws(StoreError) {
                isNews = try await new.isEverything || !hasAudited ? refresh() : look(at: new.numbers)
            } catch {
                // Nothing of an ended scope is read or shown any more.
                if await ended() != nil {
                    changes.ring()
                    continue
                }
                return readLater(new)
            }
            // A look that began earlier may have read one of these items before it was changed, and note it later.
            if looks > 0 { overlooked.add(new) }
            // A claim that is under way may fail, and leave what it has read before.
            let claimed = new.numbers.filter { sending[$0] != nil }
            if !claimed.isEmpty { heard.withLock { $0.numbers.formUnion(claimed) } }
            guard isNews else { continue }
            findReady()
            work.ring()
            changes.ring()
        }
    }

    /// Sending and listing report a failing store. Who only follows is shown the changes when it works again.
    private nonisolated func readLater(_ new: Told) {
        told.withLock { told in
            told.add(new)
            told.isBeingRead = false
        }
        hearing.withLock { hearing in
            guard hearing.listeners > 0 else { return }
            hearing.retry = Alarm.after(.seconds(1), on: policy.clock) { [weak self] in self?.hear(Told()) }
        }
    }

    private nonisolated func nextTold() -> Told? {
        told.withLock { told in
            guard !told.isEmpty else {
                told.isBeingRead = false
                return nil
            }
            defer { told = Told(isBeingRead: true) }
            return told
        }
    }

    func beginLook() { looks += 1 }

    func endLook() {
        looks -= 1
        guard looks == 0, !overlooked.isEmpty else { return }
        hear(overlooked)
        overlooked = Told()
    }
}
