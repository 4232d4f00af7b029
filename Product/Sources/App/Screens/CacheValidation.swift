import Aquifer

extension ResourceModel {
    /// Runs the use case "validate cache" of a list's specification, after a load of it has been delivered.
    ///
    /// It does not run earlier: the remote may still confirm an expired copy with a 304, and the copy need not be
    /// transferred again then. An expired copy is not shown meanwhile. After a cancelled load, such as one whose tab
    /// was closed, nothing is deleted, because the remote has not answered.
    func validateDelivered(_ validate: @Sendable () async throws(StoreError) -> Bool) async {
        guard phase == .loaded || phase == .failed else { return }
        // An entry that could not be deleted is not shown, and the next page tries again.
        _ = try? await validate()
    }
}
