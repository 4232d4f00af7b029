import AquiferFoundation

/// A value on screen that is made invalid.
extension ResourceModel {
    /// Loads a value that was made invalid, if nobody has since. That ends with the model.
    @discardableResult
    func loadInvalid(_ mark: Date) -> Task<Void, Never>? {
        guard !isLoading else {
            invalidMark = mark
            return nil
        }
        guard let subscription else { return nil }
        isLoading = true
        let task = Task { [weak self, turn] in
            await turn.run {
                let answer: Result<Loaded<Value>?, LoadError>
                do throws(LoadError) { answer = .success(try await subscription.answer(to: mark)) } catch {
                    answer = .failure(error)
                }
                self?.invalidLoaded(answer)
                return answer.isCancelled
            }
            await self?.loadedAgain()
        }
        answering = StoreObservation { task.cancel() }
        return task
    }

    private func invalidLoaded(_ answer: Result<Loaded<Value>?, LoadError>) {
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
