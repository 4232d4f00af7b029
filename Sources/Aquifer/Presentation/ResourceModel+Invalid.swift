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
        let task = Task { [weak self] in
            let answer: Result<Loaded<Value>?, LoadError>
            do throws(LoadError) { answer = .success(try await subscription.answer(to: mark)) } catch {
                answer = .failure(error)
            }
            await self?.invalidLoaded(answer)
        }
        answering = StoreObservation { task.cancel() }
        return task
    }

    private func invalidLoaded(_ answer: Result<Loaded<Value>?, LoadError>) async {
        switch answer {
        case .success(nil): break
        case .success:
            (error, hasFailed) = (nil, false)
            catchUp()
        case .failure(let error): fail(error)
        }
        await loadEnded()
    }
}
