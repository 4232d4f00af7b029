import AquiferFoundation

/// The operations of users on their changes.
extension ChangeQueue {
    /// Queues a change, or makes one of it and the one before.
    func add(
        _ change: Change, over loaded: Loaded<Value>?, label: String, key: String?
    ) async throws(OutboxError) -> Outbox.Item? {
        if let loaded, loaded.seen == nil {
            throw .unsendable(
                "the state that it is made over is not from its resource, so that nobody knows what the user has seen")
        }
        do throws(StoreError) {
            // The changes that others have queued come before this one. Those who follow the queue may not have heard of them yet.
            let isBehind = try await outbox.isBehind()
            if isBehind { try await outbox.look(at: []) }
            try await readNews(isBehind: isBehind)
        } catch { throw .store(error) }
        let change = change.replacingIDs { serverID(of: $0) }
        var record = try record(of: change, over: await seen(loaded))
        if key == nil {
            switch try await coalesce(change, record, label) {
            case .separate: break
            case .merged(let item): return item
            case .nothing: return nil
            }
        }
        if key != nil { record.hasOwnKey = true }
        let (number, queued) = try await outbox.enqueue(
            try request(change, record.version), key: key, group: group(of: change), label: label, change: record)
        note(number, queued)
        return Outbox.Item(Outbox.ID(number: number), queued.head, .waiting)
    }

    /// Replaces a change. It stays over what it was made over.
    func edit(_ id: Outbox.ID, to change: Change, label: String?) async throws(OutboxError) {
        await refresh()
        guard let entry = entry(id) else { throw await absence(of: id) }
        let change = change.replacingIDs { serverID(of: $0) }
        _ = try await replace(entry, change, label: label, mayBeRefused: true)
    }

    /// Puts a refused change, or another one in its place, over the server's value that the user has seen now.
    func keep(_ refused: Entry, as merged: Change?, over latest: Value) async throws(OutboxError) {
        await refresh()
        guard let change = (merged ?? refused.change)?.replacingIDs({ serverID(of: $0) }) else { return }
        _ = try await replace(refused, change, label: nil, over: latest, mayBeRefused: true)
    }

    /// Takes a change back. What was built on a creation that the server does not have goes first, the last one at the head: after a kill
    /// in between the creation still holds back what is left.
    func discard(_ id: Outbox.ID) async throws(OutboxError) -> Outbox.Discarded {
        await refresh()
        guard let entry = entry(id) else { throw await absence(of: id) }
        var discarded = Outbox.Discarded(mayHaveArrived: false)
        let dependants = builtOn(entry)
        // One that stays keeps what was built on it.
        for entry in [entry] + dependants {
            if let reason = entry.head.reasonToStay(mayBeRefused: true, mayBeTried: true) {
                throw .notNow(entry.id, reason: reason)
            }
        }
        for dependant in dependants.map(\.id).reversed() {
            do throws(OutboxError) {
                let isTried = try await outbox.withdraw(dependant, from: nil, mayBeRefused: true)
                if isTried { discarded.mayHaveArrived = true }
            } catch {
                // Somebody else has discarded it.
                guard case .noSuchItem = error else {
                    await readKnown()
                    throw error
                }
            }
            discarded.builtOn.insert(dependant, at: 0)
        }
        do throws(OutboxError) {
            let isTried = try await outbox.withdraw(id, from: nil, mayBeRefused: true)
            if isTried { discarded.mayHaveArrived = true }
        } catch {
            await readKnown()
            throw error
        }
        await readKnown()
        return discarded
    }

    /// The later changes that are built on what a change creates, if the server has given it no id: those of its target, those of its
    /// group that name its id, such as an item of a list, and what is built on one of them that creates something.
    private func builtOn(_ creation: Entry) -> [Entry] {
        guard creation.change?.isCreation == true else { return [] }
        let target = creation.record.target
        let later = state.withLock { state in
            guard state.facts[target]?.id == nil else { return [Entry]() }
            return state.entries.filter { $0.number > creation.number && $0.confirmedAt == nil }
        }
        // The ids that no server will ever know.
        var lost: Set = [StoreKey(target)]
        return later.filter { entry in
            let isNamed = entry.head.group == creation.head.group && entry.names(oneOf: lost)
            guard isNamed || lost.contains(StoreKey(entry.record.target)) else { return false }
            if entry.change?.isCreation == true { lost.insert(StoreKey(entry.record.target)) }
            return true
        }
    }

    /// The three versions of what a refused change concerns.
    func conflict(of id: Outbox.ID, with latest: Value) async -> ChangeConflict<Change.Part>? {
        await refresh()
        guard let entry = entry(id), let change = entry.change else { return nil }
        // A base that this version cannot read is told as missing.
        let base = entry.record.base.flatMap { try? JSONDecoder().decode(Change.Part.self, from: $0) }
        let theirs = change.part(of: latest)
        var mine = latest
        // If the change does not apply any more, there is nothing of it to show.
        let isApplied = (try? change.apply(to: &mine)) != nil
        let part = isApplied ? change.part(of: mine) : nil
        guard base != nil || theirs != nil || part != nil else { return nil }
        return ChangeConflict(base: base, mine: part, theirs: theirs)
    }

    // MARK: -

    /// Reads what others have changed. If that fails, the operation itself tells.
    private func refresh() async {
        do throws(StoreError) { try await read(anew: true) } catch { await readKnown() }
    }

    /// The fate of a change and the one before it.
    private enum Coalesced {
        case separate
        /// The item that stands for both.
        case merged(Outbox.Item)
        case nothing
    }

    /// Makes one change of this one and the last of its group, if that was never tried, and the user has seen the same state in both.
    private func coalesce(
        _ change: Change, _ record: OutboxChange, _ label: String
    ) async throws(OutboxError) -> Coalesced {
        let group = group(of: change)
        let found = state.withLock { $0.last(of: group) }
        guard let entry = found, let earlier = entry.change, !entry.head.wasTried, entry.head.refusal == nil,
            entry.record.hasOwnKey != true,
            // Else one of the two would be sent over a version that it was not made over.
            entry.record.version == record.version, entry.record.asOf == record.asOf
        else { return .separate }
        do throws(OutboxError) {
            switch earlier.coalesced(with: change) {
            case .separate: return .separate
            case .merged(let merged):
                let label = label.isEmpty ? nil : label
                return .merged(try await replace(entry, merged, label: label, mayBeRefused: false))
            case .nothing:
                try await outbox.withdraw(entry.id, from: entry.record.bytes, mayBeRefused: false)
                await readKnown()
                return .nothing
            }
        } catch {
            switch error {
            // It is being sent by now, or has been sent: this one follows it.
            case .notNow, .noSuchItem, .damaged: return .separate
            default: throw error
            }
        }
    }

    private func replace(
        _ entry: Entry, _ change: Change, label: String?, over latest: Value? = nil, mayBeRefused: Bool
    ) async throws(OutboxError) -> Outbox.Item {
        var record = entry.record
        record.bytes = try encoded(change)
        if let latest {
            record.version = change.version(in: latest)
            record.asOf = state.withLock { $0.facts[record.target]?.sequence ?? 0 }
        }
        let item = try await outbox.rewrite(
            entry.id, from: entry.record.bytes, try request(change, record.version), record, label: label,
            mayBeRefused: mayBeRefused, mayBeTried: latest != nil)
        await readKnown()
        return item
    }

    private func record(of change: Change, over seen: SeenState<Value>) throws(OutboxError) -> OutboxChange {
        let target = identity(of: change.target)
        // The user has seen the changes of before, too. A row that was made here may not have been in any value yet.
        let part = seen.shown.flatMap { change.part(of: $0) } ?? partMadeHere(change, target, over: seen)
        return OutboxChange(
            kind: name, target: target, bytes: try encoded(change), base: try part.map(encoded),
            version: version(of: change, in: seen), asOf: seen.facts[target]?.sequence ?? 0)
    }

    /// What the changes that no load has shown yet make of a change's part.
    private func partMadeHere(_ change: Change, _ target: String, over seen: SeenState<Value>) -> Change.Part? {
        let askedAt = last.withLock { $0.askedAt }
        let entries = state.withLock { $0.entries(of: target) }
        let settled = settled(entries, in: seen.base, askedAt: askedAt, now: cache.time)
        var value = seen.base ?? empty
        for entry in entries where !settled.contains(entry.number) {
            // A change that does not apply any more makes nothing.
            try? entry.change?.apply(to: &value, wasTried: entry.wasTried)
        }
        return change.part(of: value)
    }

    private func encoded(_ subject: some Encodable) throws(OutboxError) -> Data {
        do { return try JSONEncoder().encode(subject) } catch {
            throw .unsendable("the change cannot be encoded: \(error)")
        }
    }

    private func request(_ change: Change, _ version: String?) throws(OutboxError) -> HTTPRequest {
        do { return try change.request(version: version) } catch {
            if let unusable = error as? OutboxError { throw unusable }
            throw .unsendable("\(error)")
        }
    }

    private func group(of change: Change) -> String {
        if change.group == Change.ownGroup(of: change.target) { return "\(name)/\(identity(of: change.target))" }
        return identity(of: change.group)
    }

    private func absence(of id: Outbox.ID) async -> OutboxError {
        do throws(StoreError) { return .noSuchItem(id, try await outbox.absence(of: id)) } catch {
            return .store(error)
        }
    }
}

extension ChangeQueue.Entry {
    /// True if the change has one of these ids in it.
    fileprivate func names(oneOf ids: Set<StoreKey>) -> Bool {
        var isNamed = false
        _ = change?.replacingIDs { id in
            if ids.contains(StoreKey(id)) { isNamed = true }
            return id
        }
        return isNamed
    }
}
