import AquiferFoundation

/// Saving by a load: it replaces only the entry that it began with, or an older one.
///
/// When two loads overlap, in one process or in several, the newer answer stays, regardless of the order of arrival.
extension Cache {
    /// The state of the entry when a load began, just before its request was sent.
    struct Beginning: Sendable {
        /// The entry, fresh or not; or the error of reading it.
        let found: Result<StoredEntry?, StoreError>
        /// The time when the request was sent, by the cache's clock.
        let sentAt: Date
        /// True if this process has made the entry invalid since, also where there was none.
        let isOvertaken: @Sendable () -> Bool
        /// False if a confirmation of the entry is worth nothing: its value lacks what an answer has.
        let isCurrent: Bool
        /// The fields of the request.
        let request: HTTPHeaders

        /// The entry, if it has validators for a request.
        var known: StoredEntry? {
            // A failing store does not prevent the request.
            guard isCurrent, let entry = try? found.get(), !entry.validators.isEmpty else { return nil }
            return entry
        }

        /// The mark of the entry of then, or its denial. An entry that could not be read has no known mark.
        var knownMark: Date? { (try? found.get())?.asking.anyMark }

        /// The mark of an invalidation since then; `nil` if there was none.
        func mark(of current: Result<StoredEntry?, StoreError>) -> Date? {
            if case .success(let entry?) = current, let mark = entry.asking.mark, mark != knownMark { return mark }
            return isOvertaken() ? StoredEntry.Asking.newMark() : nil
        }

        /// True if the remote has denied the value since to another load, or told it that the value is gone.
        func isDenied(by current: Result<StoredEntry?, StoreError>) -> Bool {
            guard case .success(let entry?) = current else { return false }
            return entry.asking.isDenied && entry.asking.anyMark != knownMark
        }

        /// True if a refusal concerns this entry: the one of then, or an older one.
        func concerns(_ entry: StoredEntry) -> Bool {
            let isOlder = (entry.origin?.sentAt ?? entry.savedAt) < sentAt && !precedes(entry)
            return isUnchanged(.success(entry)) || isOlder
        }

        /// True if the value is the one of then, whatever was said about asking for it.
        func isUnchanged(_ current: Result<StoredEntry?, StoreError>) -> Bool {
            guard case .success(var now?) = current, case .success(let then?) = found else { return current == found }
            now.asking = then.asking
            return now == then
        }

        /// True if this entry, which is not the one of then, was certainly changed here since. That needs no clock: the changed one may
        /// be that of a machine whose clock is behind.
        func precedes(_ other: StoredEntry) -> Bool {
            // Nobody knows what an unreadable entry was.
            guard case .success = found, other.wasChangedHere, let origin = other.origin else { return false }
            // An answer without dates and validators that came in the same instant looks like a change.
            return origin.sentAt > other.savedAt || origin.sentAt != sentAt
        }
    }

    /// Reads the entry. Call it before the request is sent.
    ///
    /// - Parameter isAgain: true if a change has overtaken the last request. A copy of the entry, as a ``TieredStore`` has it, may be older
    ///   than that change, so that the entry itself is read.
    func begin(
        _ isAgain: Bool = false, for request: HTTPHeaders = [:], isOvertaken: @escaping @Sendable () -> Bool = { false }
    ) async -> Beginning {
        var found: Result<StoredEntry?, StoreError>
        do throws(StoreError) { found = .success(try await entry()) } catch { found = .failure(error) }
        if isAgain {
            // A store that cannot be changed now can be read all the same.
            do throws(StoreError) {
                found = .success(
                    try await store.decide(key) { current throws(StoreError) -> (EntryChange, StoredEntry?) in
                        (.keep, try current.get())
                    })
            } catch {}
        }
        var isCurrent = true
        if case .success(let entry?) = found { isCurrent = self.isCurrent(entry, for: request) }
        return Beginning(found: found, sentAt: time, isOvertaken: isOvertaken, isCurrent: isCurrent, request: request)
    }

    /// The outcome of saving a load's answer, with the entry that is in the store now.
    enum Outcome: Sendable {
        /// The answer was saved, or a newer answer that another load has saved meanwhile stays: the latest value.
        case latest(Saved<Value>, StoredEntry, isSaved: Bool)
        /// A change that was made here after the request was sent stays. The answer cannot contain it, and the changed
        /// value may lack what the answer has. Or the value was made invalid after the request was sent: the answer is saved,
        /// and stays invalid.
        case changedHere(Saved<Value>, StoredEntry, isSaved: Bool)
        /// The policy follows the server, which does not allow the answer to be saved. It is overtaken if the value was made invalid, or
        /// denied to another load, after the request was sent; a denied value is never saved then.
        case unsaved(Value, isOvertaken: Bool)
    }

    /// Saves the value of a load, unless a newer entry was saved meanwhile.
    func save(
        _ value: Value, validators: Validators, answeredAt: Date?, head: HTTPResponseHead? = nil,
        since beginning: Beginning
    ) async throws(StoreError) -> Outcome {
        var entry = try encode(value, savedAt: time, validators: validators)
        entry.origin = StoredEntry.Origin(sentAt: beginning.sentAt, answeredAt: answeredAt)
        return try await put(entry, value, head, since: beginning)
    }

    /// Stamps the entry that the remote has just confirmed, unless a newer entry was saved meanwhile.
    func renew(
        _ confirmed: StoredEntry, _ value: Value, answeredAt: Date?, head: HTTPResponseHead? = nil,
        since beginning: Beginning
    ) async throws(StoreError) -> Outcome {
        var entry = confirmed
        entry.savedAt = time
        entry.origin = StoredEntry.Origin(sentAt: beginning.sentAt, answeredAt: answeredAt)
        if policy.follows == .server { entry.asking = confirmed.asking.renewed(from: confirmed.savedAt, at: time) }
        if policy.follows == .app { entry.asking = .unsaid }
        return try await put(entry, value, head, since: beginning)
    }

    /// Deletes the entry of a value that does not exist any more, or may not be saved, in one atomic step. An entry that was saved or
    /// changed after the request was sent stays: the answer says nothing about it. An invalidation or a denial of since then stays,
    /// too, as a mark.
    ///
    /// - Parameter isGone: true to leave a denial in the place of the entry, so that a load of before, in whatever process, asks once more.
    ///   Where no entry was, nothing is left: whoever asks for invented keys would fill the store.
    func remove(since beginning: Beginning, isGone: Bool = false) async throws(StoreError) {
        // A mark is no value that was saved: that is no event.
        try await store.update(key) { current throws(StoreError) in
            let end = isGone ? EntryChange.replace(.mark(kind, StoredEntry.Asking.newDenial())) : .delete
            switch current {
            case .success(nil): return .keep
            case .success(let entry?):
                guard beginning.concerns(entry) else { return .keep }
                guard let mark = entry.asking.anyMark, mark != beginning.knownMark else { return end }
                return entry.isMark ? .keep : .replace(.mark(kind, mark))
            case .failure(.unreadable): return end
            // An entry that the system could not read may be newer.
            case .failure(let error): throw error
            }
        }
    }

    /// Notes beside the entry, for every instance and process, that the remote denied it. Each denial is another one, so that a load
    /// which began before it asks once more.
    func deny(since beginning: Beginning) async throws(StoreError) {
        try await store.update(key) { current throws(StoreError) in
            guard case .success(var entry?) = current, beginning.concerns(entry),
                entry.asking.anyMark == nil || entry.asking.anyMark == beginning.knownMark
            else { return .keep }
            entry.ask(from: StoredEntry.Asking.newDenial())
            return .replace(entry)
        }
    }

    /// Decides and saves in one atomic step of the store.
    private func put(
        _ answer: StoredEntry, _ value: Value, _ head: HTTPResponseHead?, since beginning: Beginning
    ) async throws(StoreError) -> Outcome {
        var answer = answer
        if policy.follows == .server, let head {
            guard follow(head, &answer, to: beginning.request, sentAt: beginning.sentAt) else {
                try await remove(since: beginning)
                // A change that cannot be decoded is worth less than the answer.
                let left = try await self.entry()
                guard let left, left.wasChangedHere, let changed = try? fresh(left) else {
                    return .unsaved(value, isOvertaken: left?.asking.anyMark.map { $0 != beginning.knownMark } ?? false)
                }
                return .changedHere(changed, left, isSaved: false)
            }
        }
        return try await decide { [answer] current throws(StoreError) -> (EntryChange, Outcome) in
            if case .failure(let error) = current {
                // A damaged entry is replaced. An entry that the system could not read may be newer.
                guard case .unreadable = error else { throw error }
            }
            // Which of the two answers is newer, only another request tells.
            if beginning.isDenied(by: current) { return (.keep, .unsaved(value, isOvertaken: true)) }
            let mark = beginning.mark(of: current)
            if !beginning.isUnchanged(current), case .success(let other?) = current,
                beginning.precedes(other) || !answer.isNewer(than: other, at: time),
                // An entry that cannot be delivered is worth less than an older answer.
                let newer = try? fresh(other)
            {
                let isChanged = other.wasChangedHere || mark != nil
                return (
                    .keep,
                    isChanged ? .changedHere(newer, other, isSaved: false) : .latest(newer, other, isSaved: false)
                )
            }
            let saved = Saved(value: value, savedAt: answer.savedAt, validators: answer.validators)
            guard let mark else { return (.replace(answer), .latest(saved, answer, isSaved: true)) }
            var invalid = answer
            invalid.ask(from: mark)
            return (.replace(invalid), .changedHere(saved, invalid, isSaved: true))
        }
    }
}

extension StoredEntry.Asking {
    /// The date to ask at of an entry that was made invalid, or denied; `nil` for any other. Each invalidation and each denial has
    /// another one, so that a load notices each that came since it began, whatever was saved in between.
    var anyMark: Date? { askAt.flatMap { $0 < Date.distantPast + 1e9 ? $0 : nil } }

    /// The mark of an entry that was made invalid; `nil` for any other.
    var mark: Date? { isDenied ? nil : anyMark }

    /// True if the last answer denied the value: until another one, a load asks, and nobody is shown it without.
    var isDenied: Bool { askAt.map { Self.denials.contains($0.timeIntervalSinceReferenceDate) } ?? false }

    /// The dates of values that were denied. No mark is one of them.
    private static var denials: Range<Double> { -0x1p36 + 1..<Date.distantPast.timeIntervalSinceReferenceDate - 1 }

    /// A denial that was never there: almost 50 random bits.
    static func newDenial(_ draw: (Range<Double>) -> Double = { .random(in: $0) }) -> Date {
        Date(timeIntervalSinceReferenceDate: draw(denials))
    }

    /// A mark that was never there: more than 55 random bits, before the distant past.
    static func newMark(_ draw: (Range<UInt64>) -> UInt64 = { .random(in: $0) }) -> Date {
        let (first, last) = ((-0x1p36).bitPattern, (-0x1p47).bitPattern)
        return Date(timeIntervalSinceReferenceDate: Double(bitPattern: draw(first..<last)))
    }
}

extension StoredEntry {
    /// True if this is only a mark, and no copy of a value.
    var isMark: Bool { bytes.isEmpty && savedAt == .distantPast && asking.anyMark != nil }

    /// True if a load has saved this answer of the remote.
    var isAnswer: Bool { origin != nil && !wasChangedHere }

    /// True if this value was changed here after it was saved. An answer of the remote was asked for before it was saved;
    /// a value that the app saved as a whole has no origin.
    var wasChangedHere: Bool {
        guard let origin else { return false }
        return origin.answeredAt == nil && validators.isEmpty && savedAt <= origin.sentAt
    }

    /// True if this entry replaces `other`, which another caller saved while this entry was loaded.
    ///
    /// The remote's own clock decides if it dated both answers. Otherwise, and within the same second, the order of the
    /// requests decides; a value that was made here counts as requested when it was saved. A stamp after `now` comes
    /// from a wrong clock, and never wins.
    func isNewer(than other: StoredEntry, at now: Date) -> Bool {
        func credible(_ date: Date?) -> Date? { date.flatMap { $0 <= now ? $0 : nil } }
        if let mine = credible(origin?.answeredAt), let theirs = credible(other.origin?.answeredAt), mine != theirs {
            return mine > theirs
        }
        guard let theirs = credible(other.origin?.sentAt ?? other.savedAt), other.savedAt <= now else { return true }
        guard let mine = credible(origin?.sentAt ?? savedAt) else { return false }
        return mine >= theirs
    }
}
