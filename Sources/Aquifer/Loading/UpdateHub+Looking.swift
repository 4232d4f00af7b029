import AquiferFoundation

extension UpdateHub {
    /// Reads the entry, and tells its state if it is another one.
    func look(_ epoch: UInt64) async {
        let result: Result<UpdateSource<Value>.Found?, StoreError>
        do throws(StoreError) {
            try await state.withLock { $0.overlay }?.prepare()
            result = .success(try await source.find())
        } catch { result = .failure(error) }
        switch result {
        case .success(let found): see(found, epoch)
        case .failure(let error): fail(error, epoch)
        }
        schedule()
    }

    private func see(_ found: UpdateSource<Value>.Found?, _ epoch: UInt64) {
        let fingerprint = found?.fingerprint
        let now = source.now()
        let policy = source.policy
        let isKnown = state.withLock { state in
            state.isKnown && state.hasLooked && fingerprint == state.fingerprint
                && state.current?.savedAt.map { policy.isFresh($0, at: now) } ?? true
        }
        let saved: Saved<Value>?
        do throws(StoreError) {
            saved = isKnown ? nil : try found?.fresh()
        } catch {
            return fail(error, epoch)
        }
        finish(epoch) { state in
            let unsaved = state.keepsUnsaved(over: fingerprint) ? found?.unsaved : nil
            found?.adopt(isKnown, unsaved != nil)
            state.note(mark: found?.mark)
            defer { state.hasLooked = true }
            // A load may have told another state meanwhile.
            if isKnown { return state.mustLook = state.mustLook || fingerprint != state.fingerprint }
            if state.isHidden {
                // A denial ends with another value in the place of what was denied. The rest of a list says nothing about that.
                guard state.hasAnother(fingerprint?.beginning) else {
                    return state.show(nil, fingerprint, .denied, at: now)
                }
                state.isHidden = false
            }
            if fingerprint?.isDenied == true { return state.show(nil, fingerprint, .denied, at: now) }
            if var unsaved {
                // Another part was saved: what could not be saved stays on the screens.
                unsaved.source = state.current?.source ?? unsaved.source
                let cause = state.cause(of: unsaved, fingerprint, isAnswer: found?.isAnswer == true)
                return state.show(unsaved, fingerprint, cause, at: now, askedAt: state.unsavedAskedAt)
            }
            if fingerprint == nil, state.fingerprint?.kind == .data, let shown = state.current?.savedAt,
                policy.isFresh(shown, at: now)
            {
                return  // an eviction takes nothing from the screen
            }
            // What was amended keeps its stamps, and so its source.
            let isAmended = state.fingerprint?.savedAt == fingerprint?.savedAt
            let shown = saved.map { Self.loaded($0, after: isAmended ? state.current : nil) }
            let cause = state.cause(of: shown, fingerprint, isAnswer: found?.isAnswer == true)
            state.show(shown, fingerprint, cause, at: now)
        }
    }

    private static func loaded(_ saved: Saved<Value>, after current: Loaded<Value>?) -> Loaded<Value> {
        let copy = LoadSource.cache(savedAt: saved.savedAt, because: nil)
        let source = current?.savedAt == saved.savedAt ? current?.source : nil
        return Loaded(saved.value, source: source ?? copy, savedAt: saved.savedAt)
    }

    /// The entry could not be read: the state stays, or is nothing if there is none. After the end of a scope it is nothing
    /// for good.
    private func fail(_ error: StoreError, _ epoch: UInt64) {
        if Task.isCancelled {
            // The store may have failed because of that. Another follower reads.
            return finish(epoch) { $0.mustLook = true }
        }
        let now = source.now()
        finish(epoch) { state in
            if case .ended = error { return state.end(at: now) }
            if !state.isKnown { state.show(nil, nil, .unreadable, at: now) }
            // What is on the screens expires all the same.
            if let savedAt = state.current?.savedAt, !source.policy.isFresh(savedAt, at: now) {
                state.show(nil, state.fingerprint, .expired, at: now)
            }
            // Damage stays until somebody changes the entry.
            if case .unreadable = error { return }
            set(&state, timer: now.addingTimeInterval(1), now)
        }
    }

    private func finish(_ epoch: UInt64, _ body: (inout State) -> Void) {
        tell { state in
            guard state.epoch == epoch else { return }
            state.isLooking = false
            guard state.saves == 0, !state.isOutdated else {
                // The entry that was read may be older than what a load has told, or be what it is saving.
                state.isOutdated = false
                state.mustLook = true
                state.changesDuringSave = .others
                return
            }
            body(&state)
        }
    }

    // MARK: Loads

    /// A load of the resource saves its answer from here on.
    func beginSave() {
        state.withLock { state in
            if state.saves == 0 { state.changesDuringSave = state.mustLook || state.isLooking ? .others : .none }
            state.saves += 1
        }
    }

    /// The state of the store after a load.
    enum Kept: Sendable {
        /// The entry has the value. `isSaved` is true if this load has saved it.
        case entry(StoredEntry, isSaved: Bool)
        /// Nothing is saved, because the server does not allow it.
        case nothing
        /// The store failed.
        case unknown
    }

    /// A load has saved its answer, or failed to; `nil` if it delivers nothing.
    ///
    /// - Parameter askedAt: the time when its request was sent.
    func endSave(_ loaded: Loaded<Value>?, _ kept: Kept, askedAt: Date? = nil) {
        var fingerprint: EntryFingerprint?
        var (isKnown, isOurs) = (true, true)
        switch kept {
        case .entry(let entry, let isSaved): (fingerprint, isOurs) = (EntryFingerprint(entry), isSaved)
        // A deletion of nothing is no change: one that came may be another's.
        case .nothing: isOurs = false
        case .unknown: (isKnown, isOurs) = (false, false)
        }
        tell { [fingerprint, isKnown, isOurs, now = source.now()] state in
            state.saves -= 1
            // The only change was this one.
            if state.saves == 0, isOurs, state.changesDuringSave != .others { state.mustLook = false }
            if let loaded { Self.publish(loaded, fingerprint, &state, at: now, isKnown: isKnown, askedAt) }
        }
        schedule()
    }

    /// A load delivers the saved copy after an error.
    func publish(_ loaded: Loaded<Value>, _ fingerprint: EntryFingerprint) {
        tell { [now = source.now()] in Self.publish(loaded, fingerprint, &$0, at: now) }
        schedule()
    }

    /// A load of a part delivers the whole. Other parts may have changed meanwhile, so that it is looked at once more.
    ///
    /// - Parameters:
    ///   - fingerprint: the facts of the saved whole; `nil` if the part could not be saved.
    ///   - keepsSource: true if the part is not the one that gives the whole its source.
    func publish(partOf loaded: Loaded<Value>, _ fingerprint: EntryFingerprint?, keepsSource: Bool) {
        tell { [now = source.now()] state in
            state.mustLook = true
            // A further page is no answer to the denial of the first one.
            if keepsSource, state.isHidden { return }
            var loaded = loaded
            if keepsSource, let current = state.current { loaded.source = current.source }
            Self.publish(loaded, fingerprint, &state, at: now, isKnown: fingerprint != nil)
        }
        schedule()
    }

    /// - Parameter isKnown: false if nobody knows what the store has now.
    private static func publish(
        _ loaded: Loaded<Value>, _ fingerprint: EntryFingerprint?, _ state: inout State, at now: Date,
        isKnown: Bool = true, _ askedAt: Date? = nil
    ) {
        state.failure = nil
        guard !state.subscribers.isEmpty else { return }
        state.isHidden = false
        state.isOutdated = state.isLooking
        // A value that could not be saved does not change what is known of the store.
        state.show(
            loaded, isKnown ? fingerprint : state.fingerprint, loaded.source.cause, at: now,
            askedAt: fingerprint == nil ? askedAt ?? StoredEntry.changedHere : nil)
        if isKnown { state.hasLooked = true }
    }

    /// The remote denied the value: it is not shown until another one is delivered or saved.
    func hide() {
        tell { [now = source.now()] state in
            guard !state.subscribers.isEmpty else { return }
            state.isHidden = true
            state.isOutdated = state.isLooking
            state.show(nil, state.fingerprint, .denied, at: now)
        }
    }

    /// The scope of the entry has ended.
    func end() {
        tell { [now = source.now()] state in
            guard !state.subscribers.isEmpty else { return }
            state.isOutdated = state.isLooking
            state.end(at: now)
        }
    }

    // MARK: Time

    /// Looks again when the copy that is shown expires.
    private func schedule() {
        // Longer than any process runs.
        guard source.policy.maxAge < .days(3_650) else { return }
        let now = source.now()
        state.withLock { state in
            guard let savedAt = state.current?.savedAt else { return }
            set(&state, timer: savedAt.addingTimeInterval(source.policy.maxAge.timeInterval), now)
        }
    }

    /// Looks again at `date`, or earlier. The caller holds the lock.
    private func set(_ state: inout State, timer date: Date, _ now: Date) {
        if state.subscribers.isEmpty { return }
        if let timer = state.timer {
            if timer.date <= date { return }
            timer.alarm.cancel()
        }
        let pause = Duration.seconds(max(0, date.timeIntervalSince(now)))
        let epoch = state.epoch
        let alarm = Alarm.after(pause, on: clock) { [weak self] in self?.timeIsUp(epoch) }
        state.timer = (date, alarm)
    }

    private func timeIsUp(_ epoch: UInt64) {
        tell { state in
            guard state.epoch == epoch else { return }
            state.timer = nil
            state.mustLook = true
        }
    }
}
