import AquiferFoundation

/// A value on screen that is made invalid, or is lost with its copy.
extension ResourceModel {
    /// Shows a state that was told, and loads what was on screen and was deleted by others, or has expired: nobody would otherwise.
    func follow(_ update: Update<Value>) {
        let wasShown = value != nil
        take(update.loaded)
        guard wasShown, value == nil, !isLoading, update.loaded != nil || [.deleted, .expired].contains(update.cause),
            subscription?.mayRenew == true
        else { return }
        loadByItself { [loading] () async throws(LoadError) in try await loading.load() }
    }

    /// Loads a value that was made invalid, if nobody has since. That ends with the model.
    @discardableResult
    func loadInvalid(_ mark: Date) -> Task<Void, Never>? {
        guard !isLoading else {
            invalidMark = mark
            return nil
        }
        guard let subscription else { return nil }
        return loadByItself { () async throws(LoadError) in try await subscription.answer(to: mark) }
    }

    /// Loads for nobody who waits.
    @discardableResult
    private func loadByItself(
        _ load: @escaping @Sendable () async throws(LoadError) -> Loaded<Value>?
    ) -> Task<Void, Never> {
        isLoading = true
        let task = Task { [weak self, turn] in
            await turn.run {
                let answer: Result<Loaded<Value>?, LoadError>
                do throws(LoadError) { answer = .success(try await load()) } catch { answer = .failure(error) }
                self?.loadedByItself(answer)
                return answer.isCancelled
            }
            await self?.loadedAgain()
        }
        answering = StoreObservation { task.cancel() }
        return task
    }

    private func loadedByItself(_ answer: Result<Loaded<Value>?, LoadError>) {
        isLoading = false
        switch answer {
        case .success(nil): break
        case .success:
            (error, hasFailed) = (nil, false)
            catchUp()
        case .failure(let error): fail(error)
        }
    }

    /// A load has ended: answers what was made invalid meanwhile.
    func loadedAgain() async {
        guard let mark = invalidMark.take() else { return }
        let task = loadInvalid(mark)
        // The value stays invalid though the user has left: nobody waits then.
        if !Task.isCancelled { await task?.value }
    }
}

extension Result where Failure == LoadError {
    fileprivate var isCancelled: Bool {
        if case .failure(.cancelled) = self { true } else { false }
    }
}
