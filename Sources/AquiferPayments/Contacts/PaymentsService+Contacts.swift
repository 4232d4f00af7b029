import Aquifer
import AquiferFoundation

/// The use cases of the contact list's specification, under its names.
///
/// ``PaymentsService/contacts`` is their composition, and what screens load: the remote first, saved; then the cache;
/// then the error.
extension PaymentsService {
    /// "Load Contact List From Remote": downloads, validates and delivers the contacts. Nothing is saved.
    ///
    /// - Throws: `LoadError.invalidData(_:)`, `LoadError.connectivity(_:)`, or `LoadError.cancelled`.
    public func loadContactListFromRemote() async throws(LoadError) -> [Contact] {
        try await contacts.loadFromRemote()
    }

    /// "Load Contact List From Cache": delivers the contacts saved less than seven days ago. Has no side effects.
    ///
    /// - Returns: `nil`, "no contact list", when nothing is saved or it has expired.
    /// - Throws: `StoreError`, the "retrieval error", when there is a copy and it cannot be read.
    public func loadContactListFromCache() async throws(StoreError) -> [Contact]? {
        try await contacts.saved()?.value
    }

    /// "Cache Contact List", whose command is "Save Contact List": replaces the cache, with the current date. Deleting
    /// the old data and saving the new is one atomic step: on any error the old data is still there.
    ///
    /// - Returns: the date that was saved.
    /// - Throws: `StoreError` when it could not be encoded, deleted or saved.
    @discardableResult
    public func cacheContactList(_ list: [Contact]) async throws(StoreError) -> Date {
        try await contacts.save(list)
    }

    /// "Validate Contact List Cache": deletes a cache that has expired or cannot be read.
    ///
    /// - Returns: True if the cache was deleted.
    /// - Throws: `StoreError` when it could not be deleted.
    @discardableResult
    public func validateContactListCache() async throws(StoreError) -> Bool {
        try await contacts.validateSaved()
    }
}
