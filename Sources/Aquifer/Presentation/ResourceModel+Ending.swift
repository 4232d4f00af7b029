/// The end of a load, and those who asked for one while it ran.
extension ResourceModel {
    func loadEnded() async {
        isLoading = false
        if wasCancelled, isWanted || asksAgain { return loadForOthers() }
        if asksAgain {
            asksAgain = false
            if !Task.isCancelled, hasFailed || source != .remote { await load(loading.load) }
        }
        guard let mark = invalidMark.take() else { return }
        let task = loadInvalid(mark)
        // The value stays invalid though the user has left: nobody waits then.
        if !Task.isCancelled { await task?.value }
    }

    /// Loads for those who asked while a load ran that was then cancelled. That ends with the model.
    private func loadForOthers() {
        (isWanted, asksAgain, wasCancelled) = (false, false, false)
        let task = Task { [weak self] in
            guard let self else { return }
            await load(loading.load)
        }
        standIn = StoreObservation { task.cancel() }
    }
}
