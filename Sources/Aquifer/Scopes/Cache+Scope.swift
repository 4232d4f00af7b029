import AquiferConcurrency

/// Loads end with their scope.
extension Cache {
    /// The work of a load, which is cancelled when the scope of the store ends.
    ///
    /// - Throws: what the work throws; after an end, ``LoadError/store(_:after:)`` with ``StoreError/ended(scope:)``.
    func untilEnd<Outcome: Sendable>(
        _ work: @escaping @Sendable () async throws(LoadError) -> Outcome
    ) async throws(LoadError) -> Outcome {
        let running = Locked<(task: Task<Result<Outcome, LoadError>, Never>?, hasEnded: Bool)>((nil, false))
        // The observation begins before the work: the work itself finds an end that came earlier.
        let observation = storeChanges.observe { change in
            guard change == .everything else { return }
            Task {
                guard await self.endedScope() != nil else { return }
                running.withLock {
                    $0.hasEnded = true
                    return $0.task
                }?.cancel()
            }
        }
        defer { observation.cancel() }
        let task = Task {
            do throws(LoadError) { return Result<Outcome, LoadError>.success(try await work()) } catch {
                return .failure(error)
            }
        }
        let hasEnded = running.withLock {
            $0.task = task
            return $0.hasEnded
        }
        if hasEnded { task.cancel() }
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        if case .failure(.cancelled) = outcome, !Task.isCancelled, let scope = await endedScope() {
            throw .ended(scope)
        }
        return try outcome.get()
    }

    /// The scope that has ended; `nil` if it has not, or the store cannot tell.
    private func endedScope() async -> String? {
        do throws(StoreError) { _ = try await entry() } catch {
            if case .ended(let scope) = error { return scope }
        }
        return nil
    }
}
