import Aquifer

extension ResourceModel {
    /// Runs the use case "validate cache" of a list's specification, after a load of it has been delivered.
    ///
    /// It does not run earlier: the remote may still confirm an expired copy with a 304, and the copy need not be
    /// transferred again then. An expired copy is not shown meanwhile. While the remote has not answered, nothing is
    /// deleted: not after a cancelled load, such as one whose tab was closed, and not without a connection, where a wrong
    /// clock may be all that makes the copy expired.
    func validateDelivered(_ validate: @Sendable () async throws(StoreError) -> Bool) async {
        guard phase == .loaded || phase == .failed else { return }
        if case .connectivity = error { return }
        // An entry that could not be deleted is not shown, and the next page tries again.
        _ = try? await validate()
    }
}
