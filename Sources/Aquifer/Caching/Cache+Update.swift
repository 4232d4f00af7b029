import AquiferFoundation

extension Cache {
    /// Changes the saved value in one atomic step, and gives it the current date. No change is lost when two
    /// callers update the value at once, in one process or several.
    ///
    /// Use it for values that the app makes. Use ``amend(_:)``, which keeps the date, for values that a server sent.
    ///
    /// An expired value counts as missing and is replaced. Give the cache the policy ``CachePolicy/forever`` if its
    /// value must not expire.
    ///
    /// - Parameter change: takes the saved value and returns the new one; `nil` changes nothing. The saved value is
    ///   `nil` if it is missing, expired, or damaged.
    /// - Returns: the saved value after the change; `nil` if there is none.
    /// - Throws: ``StoreError`` when the store failed or the new value cannot be encoded. The saved value is then
    ///   unchanged.
    @discardableResult
    public func update(_ change: @Sendable (Value?) -> Value?) async throws(StoreError) -> Value? {
        try await decide { current throws(StoreError) -> (EntryChange, Value?) in
            let known = try known(current)?.value
            guard let value = change(known) else { return (.keep, known) }
            return (.replace(try encode(value, savedAt: time, validators: .none)), value)
        }
    }

    /// Adds an item that was just created on the server to the saved value, in one atomic step and without a request.
    ///
    /// The validators are dropped, because the server never sent this value. A load whose request was sent earlier does
    /// not undo the addition, which its answer cannot contain.
    ///
    /// - Parameter change: takes the saved value and returns the new one with its date. The saved value is `nil` if it
    ///   is missing, expired, or damaged: such a value is neither delivered nor extended.
    /// - Throws: ``StoreError``; the saved value is then unchanged.
    public func update(
        restamping change: @Sendable (Saved<Value>?) -> (value: Value, savedAt: Date)
    ) async throws(StoreError) {
        try await update { current throws(StoreError) in
            let (value, savedAt) = change(try known(current))
            var entry = try encode(value, savedAt: savedAt, validators: .none)
            entry.origin = changedHere(savedAt)
            // What was made invalid stays so: the server is asked all the same.
            if case .success(let other?) = current, other.asking.mark != nil { entry.asking = other.asking }
            return .replace(entry)
        }
    }

    /// Saves a value that was saved elsewhere before, such as in an earlier version's file, with the date that it had
    /// there. It does not look fresher than it is.
    ///
    /// An entry that is newer stays, and so does a change that was made here meanwhile. A damaged entry is replaced. The
    /// step is atomic: a migration can run beside loads, and more than once.
    ///
    /// ```swift
    /// try await contacts.save(old.contacts, savedAt: old.date)
    /// ```
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - savedAt: the date when it was saved.
    ///   - validators: the server's validators for it.
    /// - Returns: true if the value was saved; false if the entry stays.
    /// - Throws: ``StoreError`` when the store failed or the value cannot be encoded. The entry is then unchanged.
    @discardableResult
    public func save(
        _ value: Value, savedAt: Date, validators: Validators = .none
    ) async throws(StoreError) -> Bool {
        let entry = try encode(value, savedAt: savedAt, validators: validators)
        return try await decide { current throws(StoreError) -> (EntryChange, Bool) in
            switch current {
            case .success(let other?):
                // An entry that cannot be delivered is worth less than an older value.
                let isKept = !other.isMark && !entry.isNewer(than: other, at: time) && (try? decode(other)) != nil
                if isKept { return (.keep, false) }
                var entry = entry
                // What was made invalid or denied stays so: nothing was asked for since.
                if other.asking.mark != nil || other.asking.isDenied { entry.asking = other.asking }
                return (.replace(entry), true)
            case .success(nil), .failure(.unreadable): return (.replace(entry), true)
            // An entry that the system could not read may be newer.
            case .failure(let error): throw error
            }
        }
    }

    /// The origin of a value that is changed here. It is never before the stamp: by that a change is told from an answer. The clock may be
    /// behind that of the machine that made the stamp, or was set back since.
    func changedHere(_ savedAt: Date) -> StoredEntry.Origin {
        let now = time
        return StoredEntry.Origin(sentAt: now < savedAt ? savedAt + 0.001 : now)
    }

    /// The value of the entry found, if it is fresh and undamaged.
    private func known(_ current: Result<StoredEntry?, StoreError>) throws(StoreError) -> Saved<Value>? {
        do throws(StoreError) {
            return try current.get().flatMap { entry throws(StoreError) in try fresh(entry) }
        } catch {
            // A damaged entry is replaced; any other error is thrown to the caller.
            guard case .unreadable = error else { throw error }
            return nil
        }
    }
}
